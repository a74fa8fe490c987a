// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The data that classification metrics keep for an image.
struct ClassificationItem: Sendable, Hashable, Codable {
  /// The true class, or nil if the label isn't a class of the model.
  ///
  /// If several classes have the label's name, it is the first one.
  var truth: Int?
  /// The label, if it isn't a class of the model.
  var unknownLabel: String?
  /// Whether several classes have the label's name.
  var isShared = false
  /// The label, if it is a synonym of the class's name.
  var synonym: String?
  /// Whether the label is the number of a class; nil, as in reports of older versions, means false.
  var isNumber: Bool?
  /// The class with the highest score, or nil if the image failed or all scores are NaN.
  var predicted: Int?
  /// The rank of the true class among the scores, from 1, or nil if it has none.
  var rank: Int?
  /// The true class's fraction of the sum of scores, or nil if the scores aren't probabilities.
  var probability: Double?
  /// The highest score's fraction of the sum of scores, or nil if the scores aren't probabilities.
  var confidence: Double?
  var failed = false
  /// All scores, if a metric needs them.
  var scores: PackedNumbers<Float>?

  private enum CodingKeys: String, CodingKey {
    case truth, synonym, predicted, rank, probability, confidence, failed, scores
    case isNumber = "number"
    case unknownLabel = "unknown_label"
    case isShared = "shared"
  }
}

extension ClassificationItem {
  /// The maximum difference between the sum of scores and 1.
  static let sumTolerance = 1e-3

  init(label: String, classes: ClassList) {
    let match = classes.match(label)
    truth = match.classes.first
    unknownLabel = match.classes.isEmpty ? label : nil
    isShared = match.classes.count > 1
    switch match {
    case .synonym: synonym = label
    case .number: isNumber = true
    case .name, .ambiguous, .none: break
    }
  }

  mutating func read(_ values: [Float], members: [Int], keepsScores: Bool) {
    var sum = 0.0
    var best: Int?
    var isDistribution = true
    for (index, value) in values.enumerated() {
      sum += Double(value)
      if !(value >= 0) { isDistribution = false }
      if !value.isNaN, best.map({ value > values[$0] }) ?? true { best = index }
    }
    predicted = best
    rank = members.compactMap { Self.rank(of: $0, among: values) }.min()
    if keepsScores { scores = PackedNumbers(values) }
    guard isDistribution, abs(sum - 1) <= Self.sumTolerance, let best else { return }
    confidence = Double(values[best]) / sum
    let known = members.filter(values.indices.contains)
    if !known.isEmpty {
      probability = known.reduce(0) { $0 + Double(values[$1]) } / sum
    }
  }

  /// The rank of a class among the scores, from 1, or nil for NaN; in ties, earlier classes win.
  private static func rank(of index: Int, among values: [Float]) -> Int? {
    guard values.indices.contains(index), !values[index].isNaN else { return nil }
    let own = values[index]
    var rank = 1
    for (other, value) in values.enumerated() where value >= own {
      if value > own || other < index { rank += 1 }
    }
    return rank
  }
}
