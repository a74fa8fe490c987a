// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The quality of object detection: COCO's twelve values as pycocotools computes them, or one of
/// them.
///
/// The objects in an image that failed count as not found.
struct DetectionMetric: MetricFamily {
  enum Value: String, CaseIterable {
    case ap, ap50, ap75
    case apSmall = "ap_small"
    case apMedium = "ap_medium"
    case apLarge = "ap_large"
    case ar1, ar10, ar100
    case arSmall = "ar_small"
    case arMedium = "ar_medium"
    case arLarge = "ar_large"
  }

  static let familyName = "detection"

  let name: String
  let context: MetricContext
  private let classes: ClassList
  /// Whether all objects belong to class 0.
  private var hasOneClass = false

  init(name: String, context: MetricContext, hasOneClass: Bool) {
    self.init(name: name, context: context)
    self.hasOneClass = hasOneClass
  }

  init(name: String, context: MetricContext) {
    self.name = name
    self.context = context
    classes = ClassList(context)
  }

  // MARK: - Images

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> DetectionItem? {
    guard case .boxes(let boxes) = truth else { return nil }
    return try item(boxes, prediction, most: DetectionEvaluation.maximumDetections)
  }

  /// The data of an image.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - prediction: The prediction, or nil if the image failed.
  ///   - most: The maximum number of detections of a class.
  ///   - points: Returns the keypoints of a detection as fractions of the image's sides. If it isn't
  ///     nil, keypoints are compared, and a detection's box is the one around them.
  /// - Returns: What the metric keeps of the image.
  /// - Throws: `TensorIOError` if the prediction has no objects or no size, or what `points` throws.
  func item(
    _ objects: [GroundTruthBox], _ prediction: Prediction?, most: Int,
    points: ((Detection) throws -> [SIMD2<Double>])? = nil
  ) throws -> DetectionItem {
    var item = DetectionItem()
    if points != nil { item.pointNames = objects.first?.keypoints?.map(\.name) }
    for object in objects { try add(object, to: &item) }
    item.failed = prediction == nil
    guard let prediction else { return item }
    guard let detections = prediction.detections else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs detections, but the model gives none. Add \"decode\" to its outputs "
          + "in model.json.")
    }
    guard let size = prediction.imageSize, size.width > 0, size.height > 0 else {
      if detections.isEmpty { return item }
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs the image's size, which the prediction does not have.")
    }
    let found = try boxes(of: detections, size: size, points: points)
    item.dropped = detections.count - found.count
    item.keep(found, most: most)
    return item
  }

  /// The detections in pixels with their indices, without those that have NaN values.
  func boxes(
    of detections: [Detection], size: (width: Int, height: Int),
    points: ((Detection) throws -> [SIMD2<Double>])? = nil
  ) throws -> [(index: Int, detection: DetectedBox)] {
    let sides = SIMD2(Double(size.width), Double(size.height))
    return try detections.enumerated().compactMap { index, detection in
      let keypoints = try points?(detection).map { $0 * sides } ?? []
      let box =
        keypoints.isEmpty
        ? detection.box.scaled(x: sides.x, y: sides.y) : Box(around: keypoints)
      guard box.isFinite, !detection.score.isNaN, detection.classIndex >= 0 else { return nil }
      let number =
        hasOneClass
        ? 0
        : classes.names.indices.contains(detection.classIndex)
          ? classes.first(like: detection.classIndex) : detection.classIndex
      return (
        index,
        DetectedBox(category: number, score: Double(detection.score), box: box, points: keypoints)
      )
    }
  }

  /// The objects with the numbers of their classes.
  func objects(_ objects: [GroundTruthBox]) throws -> [TrueBox] {
    var item = DetectionItem()
    if let names = objects.lazy.compactMap(\.keypoints).first {
      item.pointNames = names.map(\.name)
    }
    for object in objects { try add(object, to: &item) }
    return try item.contents(metric: name).objects
  }

  private func add(_ object: GroundTruthBox, to item: inout DetectionItem) throws {
    let area = object.area ?? object.box.width * object.box.height
    guard object.box.isFinite, area.isFinite else {
      throw TensorIOError(
        .unrepresentableValue,
        "Metric '\(name)': the box of '\(object.label)' must have finite numbers, got "
          + "\(object.box).")
    }
    let match = hasOneClass ? .number(0) : classes.match(object.label)
    var number = match.classes.first
    if case .synonym(let found) = match {
      item.synonyms = (item.synonyms ?? [:]).merging([object.label: found[0]]) { $1 }
    }
    if !hasOneClass, classes.names.isEmpty, let own = Int(classes.mapped(object.label)) {
      let (sum, overflow) = own.addingReportingOverflow(context.labelOffset)
      if !overflow, (0...Int(Int32.max)).contains(sum) { number = sum }
    }
    item.add(
      TrueBox(
        category: number ?? item.index(ofUnknown: object.label), box: object.box, area: area,
        isCrowd: object.isCrowd,
        points: (object.keypoints ?? []).map {
          $0.isLabelled ? SIMD2($0.x, $0.y) : SIMD2(.nan, .nan)
        }))
  }

  // MARK: - Report

  func reduce(_ items: [DetectionItem]) throws -> MetricReport {
    let categories = try DetectionCategories(items, metric: name)
    let results = categories.all.map { DetectionEvaluation(categories.images($0)) }
    var report = MetricReport(values: [])
    report.notes = notes(items, categories)
    for value in values {
      let parts = results.compactMap(value.number)
      let objects = results.reduce(0) { $0 + $1.objects(value.range) }
      report.values.append(
        MetricValue(value.rawValue, parts.meanIfAny, count: objects))
      if parts.isEmpty {
        report.notes.append(
          "\(value.rawValue) is not defined: no object has \(value.range.words).")
      }
    }
    if isFamily {
      report.classes = zip(categories.all, results).compactMap { category, result in
        guard result.objects(.all) > 0 else { return nil }
        return ClassMetrics(
          label: label(category), support: result.objects(.all),
          values: [
            "ap": Value.ap.number(result), "ap50": Value.ap50.number(result),
            "ar100": Value.ar100.number(result),
          ])
      }
      report.confusion = try categories.confusion(items, metric: name, name: label)
    }
    return report
  }

  private func label(_ category: DetectionCategories.Category) -> String {
    switch category {
    case .known(let number):
      classes.names.indices.contains(number) ? classes.names[number] : "\(number)"
    case .unknown(let label): label
    }
  }

  func notes(_ items: [DetectionItem], _ categories: DetectionCategories) -> [String] {
    var notes: [String] = []
    let failed = items.count(where: \.failed)
    if failed > 0 {
      notes.append(
        "\(failed) of \(counted(items.count, "image")) failed: their objects count as not found.")
    }
    let unknown = categories.unknown
    if !unknown.isEmpty {
      let first = unknown.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      notes.append(
        "\(counted(unknown.count, "label")) of objects \(unknown.count == 1 ? "is not a class" : "are not classes") "
          + "of the model and \(unknown.count == 1 ? "counts" : "count") with a precision and recall of 0: "
          + "\(first)\(unknown.count > 5 ? " and \(unknown.count - 5) more" : "").")
    }
    notes += classes.notes(ambiguous: unknown)
    let synonyms = items.compactMap(\.synonyms).reduce(into: [:]) { $0.merge($1) { $1 } }
      .filter { classes.names.indices.contains($0.value) }
    if let note = classes.note(synonyms: synonyms) { notes.append(note) }
    let dropped = items.reduce(0) { $0 &+ $1.dropped }
    if dropped > 0 {
      notes.append(
        "\(counted(dropped, "detection")) \(dropped == 1 ? "was" : "were") left out: the score, box or class "
          + "is not a finite number.")
    }
    return notes
  }
}

extension DetectionMetric.Value {
  fileprivate var range: DetectionEvaluation.AreaRange {
    switch self {
    case .ap, .ap50, .ap75, .ar1, .ar10, .ar100: .all
    case .apSmall, .arSmall: .small
    case .apMedium, .arMedium: .medium
    case .apLarge, .arLarge: .large
    }
  }

  /// The value of one class, or nil if there are no objects.
  fileprivate func number(_ result: DetectionEvaluation) -> Double? {
    let most = self == .ar1 ? 1 : self == .ar10 ? 10 : DetectionEvaluation.maximumDetections
    guard let scores = result.scores(range, most: most) else { return nil }
    switch self {
    case .ap, .apSmall, .apMedium, .apLarge: return scores.precision.mean
    case .ap50: return scores.precision.first
    case .ap75: return scores.precision[5]
    case .ar1, .ar10, .ar100, .arSmall, .arMedium, .arLarge: return scores.recall.mean
    }
  }
}

extension Box {
  /// The smallest box around points, which is NaN if a number isn't finite.
  fileprivate init(around points: [SIMD2<Double>]) {
    let first = points.reduce(SIMD2(repeating: .infinity)) { pointwiseMin($0, $1) }
    let last = points.reduce(SIMD2(repeating: -.infinity)) { pointwiseMax($0, $1) }
    let isFinite = points.allSatisfy { $0.x.isFinite && $0.y.isFinite }
    self.init(
      x: isFinite ? first.x : .nan, y: first.y, width: last.x - first.x, height: last.y - first.y)
  }

  fileprivate func scaled(x factorX: Double, y factorY: Double) -> Box {
    Box(x: x * factorX, y: y * factorY, width: width * factorX, height: height * factorY)
  }

  fileprivate var isFinite: Bool {
    x.isFinite && y.isFinite && width.isFinite && height.isFinite && (width * height).isFinite
  }
}
