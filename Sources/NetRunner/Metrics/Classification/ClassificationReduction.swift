// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Computes the report of a classification metric.
struct ClassificationReduction {
  typealias Value = ClassificationMetric.Value

  let items: [ClassificationItem]
  let metric: ClassificationMetric
  let occurring: OccurringClasses
  let counts: ClassCounts
  var report = MetricReport(values: [])

  init(_ items: [ClassificationItem], metric: ClassificationMetric) throws {
    for item in items {
      let classes = [item.truth, item.predicted].compactMap(\.self)
      guard
        classes.allSatisfy(metric.classes.names.indices.contains),
        item.truth != nil || item.unknownLabel != nil
      else {
        throw TensorIOError(
          .wrongKind,
          "Metric '\(metric.name)' was given items of a model with other classes: this one has "
            + "\(metric.classes.names.count).")
      }
    }
    self.items = items
    self.metric = metric
    occurring = OccurringClasses(items, classes: metric.classes)
    counts = ClassCounts(occurring.pairs, classes: occurring.names.count)
  }

  var content: Dataset.Content { metric.context.content }

  func wants(_ value: Value) -> Bool { metric.value.map { $0 == value } ?? true }

  mutating func run() throws -> MetricReport {
    guard !items.isEmpty else {
      report.notes = ["No \(content.noun) has a label, so there is nothing to measure."]
      report.values = Value.family(metric).map {
        MetricValue($0.name(metric), nil, count: 0, isHigherBetter: $0.isHigherBetter)
      }
      return report
    }
    noteSpecialImages()
    addAccuracies()
    addAverages()
    addProbabilities()
    try addCurves()
    if metric.value == nil {
      report.confusion = confusion()
      report.classes = classMetrics()
    }
    return report
  }

  mutating func add(
    _ value: Value, _ number: Double?, interval: MetricValue.Interval?, count: Int
  ) {
    report.values.append(
      MetricValue(
        value.name(metric), number, interval: number == nil ? nil : interval, count: count,
        isHigherBetter: value.isHigherBetter))
  }

  // MARK: - Parts

  private mutating func addAccuracies() {
    for value in [Value.top1, .topk, .top5, .legacyTop5] where Value.family(metric).contains(value)
    {
      let k = value == .top1 ? 1 : value == .topk ? metric.context.topK : 5
      let hits = items.count { $0.rank.map { $0 <= k } ?? false }
      add(
        value, Double(hits) / Double(items.count),
        interval: .wilson(successes: hits, of: items.count), count: items.count)
    }
  }

  private mutating func addAverages() {
    let averages = counts.averages()
    guard averages.contains(where: { wants($0.value) }) else { return }
    let pairs = occurring.pairs
    let classes = occurring.names.count
    let steps = items.count + classes
    let bootstrap = Bootstrap(metric.context)
    let isResampled = averages.contains { wants($0.value) && !$0.value.isShare }
    var resampled: [MetricValue.Interval?]?
    if isResampled {
      resampled = bootstrap.intervals(images: items.count, steps: steps) {
        ClassCounts(pairs, classes: classes, weights: $0).averages().map(\.number)
      }
    }
    let hits = counts.right.reduce(0, +)
    for (index, average) in averages.enumerated() where wants(average.value) {
      let interval: MetricValue.Interval? =
        switch average.value {
        case .microRecall: .wilson(successes: hits, of: items.count)
        case .microPrecision: .wilson(successes: hits, of: counts.predicted.reduce(0, +))
        default: resampled?[index]
        }
      add(average.value, average.number, interval: interval, count: items.count)
      if average.number == nil {
        report.notes.append("\(average.value.rawValue) is not defined: \(average.reason).")
      }
    }
    if isResampled, !bootstrap.allows(steps: steps) {
      report.notes.append(
        "Averages over classes have no intervals: \(content.counted(items.count)) are too many.")
    }
    noteClasses()
  }

  /// The maximum number of classes in a confusion matrix.
  ///
  /// With more classes than ImageNet has, nobody could read the matrix. Its size is the square of
  /// the number of classes.
  private static let maximumConfusedClasses = 1001

  private mutating func confusion() -> ConfusionMatrix? {
    let size = occurring.names.count
    guard size <= Self.maximumConfusedClasses else {
      report.notes.append(
        "The confusion matrix is left out for more than \(Self.maximumConfusedClasses) classes that "
          + "occur: there are \(size).")
      return nil
    }
    var rows = Array(repeating: Array(repeating: 0, count: size), count: size)
    var failed = Array(repeating: 0, count: size)
    for pair in occurring.pairs {
      if let predicted = pair.predicted {
        rows[pair.truth][predicted] += 1
      } else {
        failed[pair.truth] += 1
      }
    }
    return ConfusionMatrix(labels: occurring.names, counts: rows, failed: failed)
  }

  private func classMetrics() -> [ClassMetrics] {
    occurring.names.enumerated().map { index, name in
      var intervals: [String: MetricValue.Interval] = [:]
      intervals["recall"] = .wilson(successes: counts.right[index], of: counts.support[index])
      intervals["precision"] = .wilson(successes: counts.right[index], of: counts.predicted[index])
      var values: [String: Double?] = [
        "precision": counts.precision(index), "recall": counts.recall(index),
        "f1": counts.f1(index),
      ]
      if let area = report.roc?.first(where: { $0.label == name })?.area {
        values["roc_auc"] = area
      }
      return ClassMetrics(
        label: name, support: counts.support[index], values: values, intervals: intervals)
    }
  }

  // MARK: - Notes

  private mutating func noteSpecialImages() {
    let failed = items.count(where: \.failed)
    if failed > 0 {
      report.notes.append(
        "\(failed) of \(content.counted(items.count)) failed and count as wrong.")
    }
    let silent = items.count { !$0.failed && $0.predicted == nil }
    if silent > 0 {
      report.notes.append(
        "The model returned only NaN for \(silent) of \(content.counted(items.count)), which count "
          + "as wrong.")
    }
    noteLabels()
  }

  private mutating func noteClasses() {
    if !occurring.merged.isEmpty {
      report.notes.append(
        "Classes with the same name count as one: \(ClassList.list(Set(occurring.merged).sorted()))."
      )
    }
    if !occurring.missing.isEmpty {
      let count = occurring.missing.count
      report.notes.append(
        "\(count) of the model's classes \(count == 1 ? "is" : "are") neither in the labels nor "
          + "predicted, and left out of averages over classes: \(ClassList.list(occurring.missing))."
      )
    }
    let absent = occurring.names.indices.filter { counts.support[$0] == 0 }
    if !absent.isEmpty {
      let one = absent.count == 1
      report.notes.append(
        "\(counted(absent.count, "class", "classes")) \(one ? "is" : "are") predicted, but no \(content.noun) "
          + "shows \(one ? "it" : "them"), so \(one ? "its" : "their") recall in macro averages is 0: "
          + "\(ClassList.list(absent.map { occurring.names[$0] })).")
    }
  }
}

extension ClassificationMetric.Value {
  /// Whether the average is a share of the images or of the predictions.
  ///
  /// Its interval then has a formula, and nothing is resampled for it.
  var isShare: Bool { self == .microPrecision || self == .microRecall }

  /// The values that a metric computes, in order.
  static func family(_ metric: ClassificationMetric) -> [Self] {
    if let value = metric.value { return [value] }
    // With at most k classes, the top k always include the correct one.
    let k = metric.context.topK
    let left: Set<Self> =
      k == 1 || k >= metric.classes.names.count
      ? [.top5, .legacyTop5, .topk] : [.top5, .legacyTop5]
    return allCases.filter { !left.contains($0) }
  }

  func name(_ metric: ClassificationMetric) -> String {
    switch self {
    case .topk: "top\(metric.context.topK)"
    case .legacyTop5: "classification_accuracy"
    default: rawValue
    }
  }
}

/// The classes that occur as a truth or a prediction: the model's in order, then unknown labels.
///
/// Classes with the same name are merged as soon as one label is that name, because the label
/// refers to all of them. If labels are numbers, classes aren't merged.
struct OccurringClasses {
  /// The unique names of the classes.
  let names: [String]
  /// The model's classes that each of these classes consists of, or none for an unknown label.
  let members: [[Int]]
  /// The true and the predicted class of each image, as indices of `names`.
  let pairs: [(truth: Int, predicted: Int?)]
  /// The model's classes that don't occur.
  let missing: [String]
  /// The names of classes that were merged.
  let merged: [String]

  init(_ items: [ClassificationItem], classes: ClassList) {
    let merges = items.contains(where: \.isShared)
    func key(_ index: Int) -> Int { merges ? classes.first(like: index) : index }
    var known: Set<Int> = []
    var unknown: Set<String> = []
    for item in items {
      if let truth = item.truth { known.insert(key(truth)) }
      if let predicted = item.predicted { known.insert(key(predicted)) }
      if let label = item.unknownLabel { unknown.insert(label) }
    }
    func name(_ index: Int) -> String {
      let name = classes.names[index]
      return !merges && classes.isShared(index) ? "\(name) (class \(index))" : name
    }
    let order = known.sorted()
    let strangers = unknown.sorted()
    names = order.map(name) + strangers
    members =
      order.map { merges ? classes.all(like: $0) : [$0] } + strangers.map { _ in [] }
    let positions = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    let unknownIndexes = Dictionary(
      uniqueKeysWithValues: strangers.enumerated().map { ($1, $0 + order.count) })
    pairs = items.map { item in
      let truth =
        item.truth.flatMap { positions[key($0)] }
        ?? item.unknownLabel.flatMap { unknownIndexes[$0] }
      return (truth ?? 0, item.predicted.flatMap { positions[key($0)] })
    }
    let all = classes.names.indices.filter { key($0) == $0 }
    missing = all.filter { !known.contains($0) }.map(name)
    merged = merges ? all.filter(classes.isShared).map { classes.names[$0] } : []
  }
}
