// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct DetectionMetricTests {
  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals pycocotools'`() async throws {
    let cases =
      DetectionCase.all
      + (100..<130).map { seed in
        DetectionCase.random(
          "random \(seed)", seed: seed, steps: seed % 2 == 0 ? 1000 : 5,
          noise: Double(seed % 5) / 5, crowds: 0.15)
      }
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    for (item, theirs) in zip(cases, answers) {
      let report = try item.report()
      #expect(report.values.count == 12)
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(item.name): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
      }
      let classes = report.classes ?? []
      #expect(classes.count == theirs.keys.count { $0.hasSuffix(".ap") }, "\(item.name)")
      for entry in classes {
        for (key, value) in entry.values {
          #expect(
            isClose(value, theirs["class.\(entry.label).\(key)"] ?? nil),
            "\(item.name): \(entry.label) \(key)")
        }
      }
    }
  }

  @Test func `objects of a failed image count as not found`() throws {
    let object = DetectionCase.Object(label: "a", box: [0, 0, 50, 50])
    let found = DetectionCase.Found(classIndex: 0, score: 0.5, box: [0, 0, 0.5, 0.5])
    let item = DetectionCase(
      name: "", labels: ["a"],
      images: [
        .init(width: 100, height: 100, objects: [object], detections: [found]),
        .init(width: 100, height: 100, objects: [object], detections: nil),
      ])
    let report = try item.report()
    #expect(report.values.first { $0.name == "ar100" }?.value == 0.5)
    #expect(report.values.first { $0.name == "ar100" }?.count == 2)
    #expect(report.notes.contains("1 of 2 images failed: their objects count as not found."))
    #expect(report.values.first { $0.name == "ap_large" }?.value == nil)
    #expect(report.notes.contains { $0.hasPrefix("ap_large is not defined") })
  }

  @Test func `detections that aren't finite numbers are omitted and noted`() throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "ap", context: MetricContext(labels: ["a"])))
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    let found = [
      Detection(classIndex: 0, label: "a", score: .nan, box: box),
      Detection(
        classIndex: 0, label: "a", score: 1, box: Box(x: .nan, y: 0, width: 1, height: 1)),
      Detection(classIndex: -1, label: "a", score: 1, box: box),
      Detection(classIndex: 0, label: "a", score: 0.5, box: box),
    ]
    let truth = GroundTruth.boxes([
      GroundTruthBox(label: "a", box: Box(x: 0, y: 0, width: 10, height: 10))
    ])
    try accumulator.add(truth, Prediction(detections: found, imageSize: (10, 10)), at: 0)
    let report = try accumulator.report()
    #expect(abs((report.values.first?.value ?? 0) - 1) < 1e-9)
    #expect(report.notes.first?.hasPrefix("3 detections") == true)
  }

  @Test func `a prediction without the image's size is an error that says so`() throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "ap", context: MetricContext(labels: ["a"])))
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    let found = [Detection(classIndex: 0, label: "a", score: 1, box: box)]
    let error = #expect(throws: TensorIOError.self) {
      try accumulator.add(.boxes([]), Prediction(detections: found), at: 0)
    }
    #expect(error?.message.contains("image's size") == true)
    #expect(throws: TensorIOError.self) { try accumulator.add(.boxes([]), Prediction(), at: 0) }
  }

  @Test func `another name of a class is matched, and a note says so`() throws {
    let labels = ["tabby, tabby cat", "tiger cat, tiger", "tiger shark, tiger"]
    let objects = ["Tabby_Cat", "tiger"].map { DetectionCase.Object(label: $0, box: [0, 0, 9, 9]) }
    let found = DetectionCase.Found(classIndex: 0, score: 0.5, box: [0, 0, 0.9, 0.9])
    let item = DetectionCase(
      name: "", labels: labels,
      images: [.init(width: 10, height: 10, objects: objects, detections: [found])])
    let report = try item.report()
    #expect(report.classes?.map(\.label) == ["tabby, tabby cat", "tiger"])
    #expect(report.values.first { $0.name == "ar1" }?.value == 0.5)
    #expect(
      report.notes.contains(
        "1 label was matched to a class by another of its names: 'Tabby_Cat' as 'tabby, tabby "
          + "cat'."))
    #expect(
      report.notes.contains {
        $0.hasPrefix("The label 'tiger' could mean several classes: 'tiger cat, tiger', 'tiger s")
      })
    var context = MetricContext(labels: labels)
    context.labelMap = ["tiger": "tiger shark, tiger"]
    let metric = DetectionMetric(name: "ar1", context: context)
    let mapped = try #require(try metric.evaluate(item.truth(0), item.prediction(0)))
    #expect(mapped.unknown.isEmpty)
  }

  @Test func `a model without labels is evaluated by class number`() throws {
    var context = MetricContext(labels: [])
    context.labelOffset = -1
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "ap50", context: context))
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    let found = [Detection(classIndex: 17, label: "17", score: 1, box: box)]
    let object = GroundTruthBox(label: "18", box: Box(x: 0, y: 0, width: 10, height: 10))
    try accumulator.add(
      .boxes([object]), Prediction(detections: found, imageSize: (10, 10)), at: 0)
    #expect(abs((try accumulator.report().values.first?.value ?? 0) - 1) < 1e-9)
  }
}
