// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Images with labels and scores, for our metrics and the Python metrics.
struct ClassificationCase: Encodable, CustomTestStringConvertible {
  var kind = "classification"
  var name: String
  var labels: [String]
  var truths: [String]
  /// Nil for images that failed.
  var scores: [[Float]?]
  var topK = 5
  var labelOffset = 0
  /// Few, because each takes long without optimization.
  var resamples = 20

  var testDescription: String { name }

  private enum CodingKeys: String, CodingKey {
    case kind, labels, truths, scores
    case topK = "top_k"
    case labelOffset = "label_offset"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(labels, forKey: .labels)
    try container.encode(truths, forKey: .truths)
    try container.encode(scores.map { $0?.map(Double.init) }, forKey: .scores)
    try container.encode(topK, forKey: .topK)
    try container.encode(labelOffset, forKey: .labelOffset)
  }

  var context: MetricContext {
    var context = MetricContext(labels: labels)
    context.topK = topK
    context.labelOffset = labelOffset
    context.resamples = resamples
    return context
  }

  func prediction(_ index: Int) -> Prediction? {
    scores[index].map {
      Prediction(classification: Classification(labels: Labels(labels), values: $0))
    }
  }

  func report(_ metric: String = "classification") throws -> MetricReport {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: metric, context: context))
    for index in truths.indices {
      try accumulator.add(.label(truths[index]), prediction(index), at: index)
    }
    return try accumulator.report()
  }
}

extension ClassificationCase {
  /// Random images.
  ///
  /// `skill` is how much the true class's score stands out, `steps` is the number of different
  /// scores (nil for probabilities), and `failing` is the share of images that fail.
  static func random(
    _ name: String, seed: UInt64, classes: Int, images: Int, skill: Double = 2,
    steps: Int? = nil, failing: Double = 0, truths: Range<Int>? = nil
  ) -> Self {
    var random = TestNumbers(seed: seed)
    var result = Self(
      name: name, labels: (0..<classes).map { "class \($0)" }, truths: [], scores: [])
    for _ in 0..<images {
      let truth = Int.random(in: truths ?? 0..<classes, using: &random)
      result.truths.append(result.labels[truth])
      var values = (0..<classes).map { _ in random.unit() }
      values[truth] += skill * random.unit()
      if let steps {
        values = values.map { ($0 * Double(steps)).rounded() }
      } else {
        let powers = values.map { $0 * $0 * $0 }
        values = powers.map { $0 / powers.reduce(0, +) }
      }
      result.scores.append(random.unit() < failing ? nil : values.map(Float.init))
    }
    return result
  }

  /// Random cases, and those that are easy to get wrong.
  static let all: [Self] = {
    var cases: [Self] = [
      random("ten classes", seed: 1, classes: 10, images: 300),
      random("no skill", seed: 2, classes: 5, images: 200, skill: 0),
      random("binary", seed: 3, classes: 2, images: 150, skill: 0.5),
      random("binary with ties", seed: 4, classes: 2, images: 120, skill: 0.5, steps: 4),
      random("ties", seed: 5, classes: 7, images: 250, steps: 3),
      random("all equal", seed: 6, classes: 4, images: 40, skill: 0, steps: 1),
      random("a hundred classes", seed: 7, classes: 100, images: 400, skill: 3),
      random("failures", seed: 8, classes: 6, images: 200, failing: 0.2),
      random("every image fails", seed: 9, classes: 3, images: 20, failing: 1.1),
      random("one image", seed: 10, classes: 4, images: 1),
      random("two images", seed: 11, classes: 3, images: 2),
      random("one class", seed: 12, classes: 1, images: 10),
      random("one class of many is shown", seed: 13, classes: 5, images: 30, truths: 2..<3),
      random("classes without images", seed: 14, classes: 9, images: 60, truths: 3..<6),
      random("binary, only the first", seed: 15, classes: 2, images: 25, truths: 0..<1),
      random("binary, only the second", seed: 16, classes: 2, images: 25, truths: 1..<2),
      random("many images", seed: 17, classes: 20, images: 2000, skill: 1),
    ]
    var perfect = random("perfect", seed: 20, classes: 6, images: 60)
    perfect.scores = perfect.truths.map { truth in perfect.labels.map { $0 == truth ? 1 : 0 } }
    cases.append(perfect)
    var wrong = perfect
    wrong.name = "all wrong"
    wrong.scores = perfect.scores.map { $0.map { Array($0.dropFirst() + $0.prefix(1)) } }
    cases.append(wrong)
    var unknown = random("unknown labels", seed: 21, classes: 5, images: 80, failing: 0.1)
    for index in stride(from: 0, to: 80, by: 7) { unknown.truths[index] = "stranger \(index % 3)" }
    cases.append(unknown)
    var strangers = random("only unknown labels", seed: 22, classes: 3, images: 10)
    strangers.truths = strangers.truths.map { _ in "a stranger" }
    cases.append(strangers)
    var numbers = random("numbers and an offset", seed: 23, classes: 6, images: 90)
    numbers.labelOffset = 1
    numbers.truths = numbers.truths.indices.map { "\($0 % 7 - 1)" }
    cases.append(numbers)
    var large = random("top one is top k", seed: 24, classes: 8, images: 50)
    large.topK = 1
    cases.append(large)
    var beyond = random("k beyond the classes", seed: 25, classes: 3, images: 50)
    beyond.topK = 50
    cases.append(beyond)
    var logits = random("scores that are no probabilities", seed: 26, classes: 4, images: 70)
    logits.scores = logits.scores.map { $0.map { $0.map { 5 * $0 - 2 } } }
    cases.append(logits)
    return cases
  }()
}

/// Runs scikit-learn, SciPy and pycocotools with Tools/peers/metrics.py.
enum MetricPeer {
  static let isThere = Python.path != nil
  static let reason: Comment =
    "TENSORIO_PYTHON isn't set; the test needs scikit-learn and pycocotools."

  /// Numbers by name for each case.
  static func answers(_ cases: [some Encodable]) async throws -> [[String: Double?]] {
    let output = try await Python.compute(
      ["Tools/peers/metrics.py"], input: JSONEncoder().encode(cases))
    return try JSONDecoder().decode([[String: Double?]].self, from: Data(output.utf8))
  }
}

/// Whether two numbers are equal within 1e-6; two undefined numbers are equal.
func isClose(_ left: Double?, _ right: Double?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return abs(left - right) <= 1e-6
}

/// Pseudo-random numbers that are the same on every machine.
struct TestNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var mixed = state
    mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 29)
  }

  /// A number from 0 to 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
