// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import MetricMath
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct ClassificationMetricTests {
  private func item(
    _ labels: [String], _ images: [(String, [Float]?)], topK: Int = 5
  ) -> ClassificationCase {
    ClassificationCase(
      name: "", labels: labels, truths: images.map(\.0), scores: images.map(\.1), topK: topK)
  }

  private func value(_ name: String, _ report: MetricReport) -> MetricValue? {
    report.values.first { $0.name == name }
  }

  @Test(arguments: ClassificationMetric.Value.allCases)
  func `every value is computed when it is requested`(_ requested: ClassificationMetric.Value)
    throws
  {
    let images: [(String, [Float]?)] = [
      ("a", [0.75, 0.25]), ("b", [0.5, 0.5]), ("b", [0.25, 0.75]),
    ]
    let report = try item(["a", "b"], images).report(requested.rawValue)
    #expect(report.values.count == 1)
    #expect(report.values.first?.value != nil)
    #expect(report.values.first?.isHigherBetter == requested.isHigherBetter)
  }

  // MARK: - Ranks

  @Test func `for equal scores, the earlier label comes first, and NaN never does`() throws {
    let cases: [(String, [Float], [Bool])] = [
      ("a", [0.5, 0.5, 0], [true, true, true]), ("b", [0.5, 0.5, 0], [false, true, true]),
      ("c", [0.5, 0.5, 0.5], [false, false, true]), ("a", [.nan, 0, 0], [false, false, false]),
      ("c", [.nan, 0, 0], [false, true, true]), ("a", [-1, -2, -.infinity], [true, true, true]),
      ("c", [.infinity, 3, .infinity], [false, true, true]),
    ]
    for (truth, scores, hits) in cases {
      for k in 1...3 {
        let report = try item(["a", "b", "c"], [(truth, scores)], topK: k).report("topk")
        #expect(report.values.map(\.name) == ["top\(k)"])
        #expect(report.values.first?.value == (hits[k - 1] ? 1 : 0), "\(truth) \(scores) \(k)")
        let order = Classification(labels: Labels(["a", "b", "c"]), values: scores).top(k)
        #expect(order.contains { $0.label == truth } == hits[k - 1])
      }
    }
  }

  @Test func `a larger k never makes a model worse`() throws {
    var item = ClassificationCase.random("", seed: 3, classes: 9, images: 60, steps: 4)
    var last = 0.0
    for k in 1...10 {
      item.topK = k
      let number = try #require(try item.report("topk").values.first?.value)
      #expect(number >= last)
      last = number
    }
    #expect(last == 1)
  }

  @Test func `the legacy metric is top5 with another name`() throws {
    for item in ClassificationCase.all where item.topK == 5 && item.truths.count < 100 {
      let legacy = try #require(try item.report("EvaluationMetricAccuracyTop5").values.first)
      let top5 = try #require(try item.report("top5").values.first)
      #expect(legacy.name == "classification_accuracy")
      #expect(legacy.value == top5.value)
      #expect(legacy.count == item.truths.count)
    }
  }

  // MARK: - Truths

  @Test func `a name means every class of that name, and a number means one class`() throws {
    let labels = ["dog", "crane", "cat", "crane"]
    let scores: [Float] = [0.1, 0.2, 0.3, 0.4]
    let named = try item(labels, [("crane", scores), ("cat", scores)], topK: 2).report()
    #expect(value("top1", named)?.value == 0.5)
    #expect(value("top2", named)?.value == 1)
    #expect(named.confusion?.labels == ["crane", "cat"])
    #expect(named.confusion?.counts == [[1, 0], [1, 0]])
    #expect(named.notes.contains("Classes with the same name count as one: 'crane'."))
    let share = try item(labels, [("crane", scores)]).report("log_loss").values.first?.value
    // -ln(0.6)
    #expect(abs((share ?? 0) - 0.510825624) < 1e-6)

    let numbered = try item(labels, [("1", scores), ("3", scores)], topK: 2).report()
    #expect(value("top1", numbered)?.value == 0.5)
    #expect(numbered.confusion?.labels == ["crane (class 1)", "crane (class 3)"])
    #expect(numbered.confusion?.counts == [[0, 1], [0, 1]])
  }

  @Test func `names take precedence over numbers, and the offset only changes numbers`() throws {
    var item = item(
      ["1", "0", "cat"], [("1", [1, 0, 0]), ("cat", [0, 0, 1]), ("2", [0, 0, 1])])
    #expect(try item.report("top1").values.first?.value == 1)
    item.labelOffset = -1
    #expect(try item.report("top1").values.first?.value == 2.0 / 3)
    item.labelOffset = .max
    #expect(try item.report("top1").values.first?.value == 2.0 / 3)
  }

  @Test func `failed images and unknown labels count as wrong and in the denominator`() throws {
    let report = try item(
      ["a", "b"],
      [("a", [0.9, 0.1]), ("a", nil), ("b", [0.2, 0.8]), ("z", [0.7, 0.3])], topK: 1
    ).report()
    #expect(value("top1", report)?.value == 0.5)
    #expect(value("top1", report)?.count == 4)
    #expect(report.confusion?.labels == ["a", "b", "z"])
    #expect(report.confusion?.counts == [[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    #expect(report.confusion?.failed == [1, 0, 0])
    #expect(value("log_loss", report)?.count == 2)
    #expect(value("ece", report)?.count == 3)
    #expect(value("roc_auc", report)?.count == 2)
    #expect(report.notes.contains("1 of 4 images failed and count as wrong."))
    #expect(report.notes.contains { $0.contains("no class of the model") && $0.contains("'z'") })
    #expect(report.notes.contains { $0.hasPrefix("log_loss comes from the 2 of 4 images") })
    let a = report.classes?.first { $0.label == "a" }
    #expect(a?.values["recall"] == 0.5)
    #expect(a?.intervals?["recall"] == .wilson(successes: 1, of: 2))
    #expect(report.classes?.last?.values["precision"] == .some(nil))
  }

  // MARK: - Probabilities

  @Test func `scores that aren't probabilities have no loss, and a note says why`() throws {
    for scores in [[2, 1], [0.6, 0.6], [1.5, -0.5], [.nan, 1], [.infinity, 0]] as [[Float]] {
      let report = try item(["a", "b"], [("a", [0.5, 0.5]), ("a", scores)]).report()
      #expect(value("log_loss", report)?.value == nil)
      #expect(value("ece", report)?.value == nil)
      #expect(report.calibration == nil)
      #expect(report.notes.contains { $0.contains("the scores of 1 of 2 images are no") })
      #expect(value("top1", report)?.value != nil)
    }
  }

  @Test func `an impossible truth has the loss of the smallest number, as in scikit-learn`()
    throws
  {
    let report = try item(["a", "b"], [("b", [1, 0])]).report("log_loss")
    #expect(abs((report.values.first?.value ?? 0) - 36.04365338911715) < 1e-9)
    #expect(report.values.first?.isHigherBetter == false)
  }

  @Test func `bins exclude their lower end and include their upper end`() {
    let bins = CalibrationBin.bins([(0, true), (0.2, true), (0.2000001, false), (1, true)])
    #expect(bins.count == 15)
    #expect(bins.map(\.count) == [1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(bins[2].accuracy == 1)
    #expect(bins[3].accuracy == 0)
  }

  // MARK: - Curves

  @Test func `areas don't depend on the scale of scores, and are inverted by their sign`() throws {
    var random = TestNumbers(seed: 8)
    for _ in 0..<20 {
      let scores = (0..<40).map { _ in (random.unit() * 12).rounded() }
      let isPositive = scores.map { _ in random.unit() < 0.4 }
      let original = try RankedScores(scores: scores, isPositive: isPositive)
      guard let area = original.measures().area else { continue }
      let scaled = try RankedScores(scores: scores.map { 3 * $0 - 7 }, isPositive: isPositive)
        .measures().area
      #expect(scaled == area)
      let turned = try RankedScores(scores: scores.map { -$0 }, isPositive: isPositive).measures()
        .area
      #expect(abs((turned ?? 0) - (1 - area)) < 1e-12)
      let double = try RankedScores(
        scores: scores + scores, isPositive: isPositive + isPositive)
      let weighted = try RankedScores(scores: scores, isPositive: isPositive)
      let twos = scores.map { _ in 2 }
      #expect(
        abs((double.measures().area ?? 0) - (weighted.measures(weights: twos).area ?? 1)) < 1e-12)
      #expect(
        abs(
          (double.measures().averagePrecision ?? 0)
            - (weighted.measures(weights: twos).averagePrecision ?? 1))
          < 1e-12)
    }
  }

  @Test func `a curve has at most 200 points and keeps its shape`() throws {
    let item = ClassificationCase.random("", seed: 9, classes: 2, images: 3000, skill: 0.3)
    let curve = try #require(try item.report("roc_auc").roc?.first)
    #expect(curve.label == "class 1")
    #expect(curve.points.count <= 200 && curve.points.count > 50)
    let first = ROCCurve.Point(falsePositiveRate: 0, truePositiveRate: 0)
    #expect(curve.points.first == first)
    #expect(curve.points.last == ROCCurve.Point(falsePositiveRate: 1, truePositiveRate: 1))
    var area = 0.0
    for (left, right) in zip(curve.points, curve.points.dropFirst()) {
      #expect(left.falsePositiveRate <= right.falsePositiveRate)
      #expect(left.truePositiveRate <= right.truePositiveRate)
      area +=
        (right.falsePositiveRate - left.falsePositiveRate)
        * (right.truePositiveRate + left.truePositiveRate) / 2
    }
    #expect(abs(area - curve.area) < 0.002)
  }

  @Test func `with over a hundred classes, scores are kept only if curves are requested`() throws {
    let item = ClassificationCase.random("", seed: 10, classes: 101, images: 30)
    let family = try item.report()
    #expect(value("roc_auc", family)?.value == nil)
    #expect(family.roc == nil)
    #expect(family.notes.contains { $0.contains("left out for more than 100 classes") })
    #expect(try item.report("roc_auc").values.first?.value != nil)
    #expect(try item.report("average_precision").values.first?.value != nil)
  }

  // MARK: - Intervals

  @Test func `resampled intervals contain their values and depend only on the seed`() throws {
    var item = ClassificationCase.random("", seed: 11, classes: 4, images: 80, skill: 0.7)
    item.resamples = 1000
    let report = try item.report()
    for value in report.values where value.name != "ece" {
      let interval = try #require(value.interval, "\(value.name)")
      let number = try #require(value.value)
      #expect(interval.lower <= number && number <= interval.upper, "\(value.name)")
      #expect(interval.upper - interval.lower < 0.6, "\(value.name)")
    }
    #expect(try item.report().values == report.values)
    item.resamples = 0
    let without = try item.report()
    #expect(without.values.map(\.value) == report.values.map(\.value))
    #expect(value("macro_f1", without)?.interval == nil)
    #expect(value("top1", without)?.interval == value("top1", report)?.interval)
  }

  @Test func `top k isn't a default metric for at most k classes`() throws {
    let few = try ClassificationCase.random("two", seed: 3, classes: 2, images: 20).report()
    #expect(!few.values.map(\.name).contains("top5"))
    let many = try ClassificationCase.random("six", seed: 3, classes: 6, images: 20).report()
    #expect(many.values.map(\.name).contains("top5"))
    // It's still available on request.
    let asked = try ClassificationCase.random("two", seed: 3, classes: 2, images: 20)
      .report("top5")
    #expect(asked.values.map(\.value) == [1])
  }

  @Test(arguments: [("micro_recall", false), ("micro_precision", false), ("macro_f1", true)])
  func `only values that are resampled say that the images are too many`(
    _ name: String, isResampled: Bool
  ) throws {
    let images = item(["a", "b"], [("a", [0.75, 0.25]), ("b", [0.75, 0.25])])
    var context = images.context
    context.resamples = .max
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: name, context: context))
    for index in 0..<2 {
      try accumulator.add(.label(images.truths[index]), images.prediction(index), at: index)
    }
    let report = try accumulator.report()
    #expect(report.notes.contains { $0.hasSuffix("are too many.") } == isResampled)
    #expect((report.values.first?.interval == nil) == isResampled)
  }

  // MARK: - Mismatches

  @Test func `a model with missing or different labels is an error`() throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "top1", context: MetricContext(labels: ["a", "b"])))
    #expect(throws: TensorIOError.self) {
      try accumulator.add(.label("a"), Prediction(values: [1]), at: 0)
    }
    let best = Classification(labels: Labels(["a", "b"]), values: [0, 1]).top(1)
    let selected = #expect(throws: TensorIOError.self) {
      try accumulator.add(.label("a"), Prediction(classification: best), at: 0)
    }
    #expect(selected?.message.contains("value 0 is of 'b', not of 'a'") == true)
    let longer = Classification(labels: Labels(["a", "b", "c"]), values: [0, 1, 2])
    #expect(throws: TensorIOError.self) {
      try accumulator.add(.label("a"), Prediction(classification: longer), at: 0)
    }
  }
}

/// Compares every value of the classification metric with scikit-learn's and SciPy's.
@Suite struct ClassificationParityTests {
  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals scikit-learn's`() async throws {
    let cases = ClassificationCase.all
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    for (item, theirs) in zip(cases, answers) {
      let report = try item.report()
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(item.name): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
        guard let lower = theirs["\(value.name).lower"] else { continue }
        #expect(isClose(value.interval?.lower, lower), "\(item.name): \(value.name) from")
        #expect(
          isClose(value.interval?.upper, theirs["\(value.name).upper"] ?? nil),
          "\(item.name): \(value.name) to")
      }
      compareClasses(report, theirs, item.name)
    }
  }

  private func compareClasses(
    _ report: MetricReport, _ theirs: [String: Double?], _ name: String
  ) {
    for entry in report.classes ?? [] {
      #expect(isClose(Double(entry.support), theirs["class.\(entry.label).support"] ?? nil))
      for key in ["precision", "recall", "f1"] {
        let expected = theirs["class.\(entry.label).\(key)"] ?? nil
        #expect(
          isClose((entry.values[key] ?? nil) ?? 0, expected), "\(name): \(entry.label) \(key)")
      }
    }
    #expect(report.classes?.count == theirs.keys.count { $0.hasSuffix(".support") }, "\(name)")
    guard let confusion = report.confusion else {
      Issue.record("\(name) has no confusion matrix.")
      return
    }
    for (row, label) in confusion.labels.enumerated() {
      for (column, other) in confusion.labels.enumerated() {
        let expected = theirs["confusion.\(label).\(other)"] ?? nil
        #expect(isClose(Double(confusion.counts[row][column]), expected), "\(name)")
      }
    }
    let all = confusion.counts.joined().reduce(0, +) + confusion.failed.reduce(0, +)
    #expect(all == report.values.first?.count, "\(name)")
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `a value that is requested alone is the same`() async throws {
    for item in ClassificationCase.all where item.topK == 5 && item.truths.count < 50 {
      let report = try item.report()
      for value in report.values {
        let alone = try item.report(value.name)
        #expect(alone.values == [value], "\(item.name): \(value.name)")
      }
    }
  }
}
