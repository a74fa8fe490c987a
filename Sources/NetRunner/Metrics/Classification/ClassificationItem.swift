// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What classification metrics keep of a picture.
struct ClassificationItem: Sendable, Hashable, Codable {
  /// The true class: the first where several have its name; nil where the label means none.
  var truth: Int?
  /// The label, where it means none of the model's classes.
  var unknownLabel: String?
  /// Whether the label is a name that several classes have.
  var isShared = false
  /// The label, where it is another name of the class.
  var synonym: String?
  /// Whether the label is a class's number; nil means no, as in reports from before it was kept.
  var isNumber: Bool?
  /// The class of the highest score; nil where the picture failed, or every score is NaN.
  var predicted: Int?
  /// The true class's place among the scores, from 1; nil where it has none.
  var rank: Int?
  /// The true class's share of the scores' sum; nil where the scores are no probabilities.
  var probability: Double?
  /// The highest score's share of the scores' sum; nil where the scores are no probabilities.
  var confidence: Double?
  /// Whether the model said anything.
  var failed = false
  /// All scores, where a metric needs them.
  var scores: PackedNumbers<Float>?

  private enum CodingKeys: String, CodingKey {
    case truth, synonym, predicted, rank, probability, confidence, failed, scores
    case isNumber = "number"
    case unknownLabel = "unknown_label"
    case isShared = "shared"
  }
}

extension ClassificationItem {
  /// How far the scores' sum may be from 1.
  static let sumTolerance = 1e-3

  /// Begins with what the picture shows.
  ///
  /// - Parameters:
  ///   - label: What the picture shows.
  ///   - classes: The model's classes.
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

  /// Adds what the model said.
  ///
  /// - Parameters:
  ///   - values: A score for each class, in order.
  ///   - members: The classes that the label means.
  ///   - keepsScores: Whether the scores are kept.
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

  /// A class's place among the scores, from 1; nil for NaN, which has none.
  ///
  /// Higher scores come before it, and equal ones of earlier classes.
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
