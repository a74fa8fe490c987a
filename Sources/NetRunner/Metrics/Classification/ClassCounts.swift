// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How often each class is the truth, the prediction, and both.
struct ClassCounts {
  var support: [Int]
  /// The number of images predicted as each class.
  var predicted: [Int]
  /// The number of images of each class that are predicted correctly.
  var right: [Int]

  /// Counts pairs of a true and a predicted class, which is nil if there is no prediction.
  init(_ pairs: [(truth: Int, predicted: Int?)], classes: Int, weights: [Int]? = nil) {
    support = Array(repeating: 0, count: classes)
    predicted = support
    right = support
    for (position, pair) in pairs.enumerated() {
      let weight = weights?[position] ?? 1
      support[pair.truth] += weight
      if let said = pair.predicted {
        predicted[said] += weight
        if said == pair.truth { right[said] += weight }
      }
    }
  }

  /// The precision of a class, or nil if it is never predicted.
  func precision(_ index: Int) -> Double? {
    predicted[index] > 0 ? Double(right[index]) / Double(predicted[index]) : nil
  }

  /// The recall of a class, or nil if it has no images.
  func recall(_ index: Int) -> Double? {
    support[index] > 0 ? Double(right[index]) / Double(support[index]) : nil
  }

  /// The F1 score of a class, or nil if it doesn't occur.
  func f1(_ index: Int) -> Double? {
    let sum = support[index] + predicted[index]
    return sum > 0 ? Double(2 * right[index]) / Double(sum) : nil
  }

  /// A value that is computed from the counts.
  struct Average {
    let value: ClassificationMetric.Value
    /// The number, or nil if it isn't defined.
    let number: Double?
    /// Why the number isn't defined if it is nil, which the report's note says.
    let reason: String

    init(
      _ value: ClassificationMetric.Value, _ number: Double?, reason: String = "no class occurs"
    ) {
      self.value = value
      self.number = number
      self.reason = reason
    }
  }

  /// The values that are computed from these counts.
  ///
  /// If a class's value isn't defined, it counts as 0, like scikit-learn's `zero_division=0`.
  func averages() -> [Average] {
    let present = support.indices.filter { support[$0] > 0 || predicted[$0] > 0 }
    let shown = present.filter { support[$0] > 0 }
    let images = support.reduce(0, +)
    let predictions = predicted.reduce(0, +)
    let hits = right.reduce(0, +)
    func macro(_ number: (Int) -> Double?, over classes: [Int]) -> Double? {
      guard !classes.isEmpty else { return nil }
      return classes.reduce(0) { $0 + (number($1) ?? 0) } / Double(classes.count)
    }
    func weighted(_ number: (Int) -> Double?) -> Double? {
      guard images > 0 else { return nil }
      return present.reduce(0) { $0 + (number($1) ?? 0) * Double(support[$1]) } / Double(images)
    }
    func share(_ part: Int, of whole: Int) -> Double? {
      guard images > 0 else { return nil }
      return whole > 0 ? Double(part) / Double(whole) : 0
    }
    return [
      Average(.balancedAccuracy, macro(recall, over: shown)),
      Average(.macroPrecision, macro(precision, over: present)),
      Average(.macroRecall, macro(recall, over: present)),
      Average(.macroF1, macro(f1, over: present)),
      Average(.microPrecision, share(hits, of: predictions)),
      Average(.microRecall, share(hits, of: images)),
      Average(.microF1, share(2 * hits, of: images + predictions)),
      Average(.weightedPrecision, weighted(precision)),
      Average(.weightedRecall, weighted(recall)),
      Average(.weightedF1, weighted(f1)),
    ]
  }
}
