// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import NetRunner

/// Tests labels that don't match the model's classes well, or only by another name.
@Suite struct ClassificationLabelTests {
  /// Images of classes, each with the class that the model predicts.
  private func images(
    _ labels: [String], _ truths: [String], saying predicted: [Int], offset: Int = 0
  ) -> ClassificationCase {
    var item = ClassificationCase(
      name: "", labels: labels, truths: truths,
      scores: predicted.map { best in labels.indices.map { $0 == best ? 1 : 0 } })
    item.labelOffset = offset
    return item
  }

  private func offsetNotes(_ item: ClassificationCase, _ metric: String = "top1") throws -> [String]
  {
    try item.report(metric).notes.filter { $0.contains("off by one") }
  }

  private let many = ["background"] + (0..<1000).map { "class \($0)" }

  // MARK: - Offsets

  @Test func `for numbers that are all one too low, a note names the option that helps`() throws {
    let item = images(many, ["0", "5", "700", "999"], saying: [1, 6, 701, 3])
    #expect(
      try offsetNotes(item) == [
        "The labels seem to be off by one: with --label-offset 1, 3 of 4 images would be right "
          + "instead of 0. The model's first class is 'background'."
      ])
    #expect(try offsetNotes(item, "EvaluationMetricAccuracyTop5").count == 1)
    // The advice helps.
    let right = images(many, item.truths, saying: [1, 6, 701, 3], offset: 1)
    #expect(try right.report("top1").values[0].value == 0.75)
    #expect(try offsetNotes(right).isEmpty)
  }

  @Test(arguments: [
    (["1", "2", "3", "10"], 0, "--label-offset -1"), (["0", "1", "2", "9"], 1, "--label-offset 0"),
    (["2", "3", "4", "11"], -1, "--label-offset -2"),
  ])
  func `numbers that are one too high are noted too, even beyond the last class`(
    truths: [String], offset: Int, option: String
  ) throws {
    let labels = (0..<10).map { "class \($0)" }
    let notes = try offsetNotes(images(labels, truths, saying: [0, 1, 2, 9], offset: offset))
    #expect(notes.count == 1)
    #expect(notes.first?.contains("with \(option), 4 of 4 images would be right") == true)
  }

  @Test func `for names that are off by one, a note points to the model's labels`() throws {
    let labels = (0..<1000).map { "class \($0)" }
    let truths = [3, 70, 500].map { "class \($0)" }
    let low = try offsetNotes(images(labels, truths, saying: [4, 71, 501]))
    #expect(low.first?.contains("lacks the model's first class") == true)
    let high = try offsetNotes(images(labels, truths, saying: [2, 69, 499]))
    #expect(high.first?.contains("has an extra line at its start, now 'class 0'") == true)
    #expect(high.first?.contains("--label-offset") == false)
  }

  @Test func `a bad model isn't mistaken for wrong labels`() throws {
    let labels = (0..<10).map { "class \($0)" }
    // The model always predicts the same class.
    let constant = images(
      labels, Array(repeating: "3", count: 9) + ["4"], saying: .init(repeating: 4, count: 10))
    #expect(try offsetNotes(constant).isEmpty)
    // The model confuses two classes.
    let swapped = images(["cat", "dog"], ["0", "1", "0", "1"], saying: [1, 0, 1, 0])
    #expect(try offsetNotes(swapped).isEmpty)
    // The model is more often right than off by one.
    let mixed = images(
      labels, ["0", "1", "2", "3", "4", "5"], saying: [0, 1, 3, 4, 5, 5])
    #expect(try offsetNotes(mixed).isEmpty)
    // One of the cases really is off by one.
    for item in ClassificationCase.all {
      #expect(try offsetNotes(item).isEmpty == (item.name != "all wrong"), "\(item.name)")
    }
  }

  @Test func `ten images without a correct prediction are noted`() throws {
    let labels = (0..<30).map { "class \($0)" }
    let truths = (0..<10).map { "class \($0)" }
    let wrong = images(labels, truths, saying: (0..<10).map { $0 * 2 + 5 })
    let notes = try wrong.report("top1").notes
    #expect(notes.contains { $0.hasPrefix("No prediction is right.") })
    #expect(notes.contains { $0.contains("shows 'class 0', but the model predicted 'class 5'") })
  }

  // MARK: - Names

  private let imageNet = [
    "tench, Tinca tinca", "hotdog, hot dog, red hot", "polecat, fitch", "skunk, polecat", "crane",
    "crane", "hair_spray", "Egyptian cat",
  ]

  @Test(arguments: [
    ("hotdog", 1), ("hot dog", 1), ("Hot_Dog", 1), ("red hot, hotdog", 1), ("TENCH", 0),
    ("fitch", 2), ("hair spray", 6), ("egyptian cat", 7), ("Crane", 4),
  ])
  func `a class's other name is recognized, and a note says so`(
    label: String, index: Int
  ) throws {
    let report = try images(imageNet, [label], saying: [index]).report()
    #expect(report.values.first { $0.name == "top1" }?.value == 1)
    #expect(
      report.notes.contains(
        "1 label was matched to a class by another of its names: '\(label)' as "
          + "'\(imageNet[index])'."))
  }

  @Test func `a name that several classes share isn't matched`() throws {
    let report = try images(imageNet, ["polecat", "frog"], saying: [2, 2]).report("top1")
    #expect(report.values.first?.value == 0)
    #expect(
      report.notes.contains {
        $0.contains(
          "2 of 2 images have labels that no class of the model has, and count as wrong: ")
      })
    #expect(
      report.notes.contains(
        "The label 'polecat' could mean several classes: 'polecat, fitch', 'skunk, polecat'. Write "
          + "the whole name of one of them, or use --label-map."))
  }

  @Test func `a class's main name takes precedence over another's second name`() {
    let classes = ClassList(MetricContext(labels: ["missile", "projectile, missile", "7", "x"]))
    #expect(classes.match("missile") == .name([0]))
    #expect(classes.match("7") == .name([2]))
    #expect(classes.match("3") == .number(3))
    #expect(classes.match("projectile") == .synonym([1]))
    #expect(classes.match("Missile") == .ambiguous([0, 1]))
    #expect(classes.match("") == .none)
    #expect(classes.match(",") == .none)
  }
}
