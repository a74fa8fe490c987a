// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct KeypointMetricTests {
  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals pycocotools'`() async throws {
    let cases = KeypointCase.all
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    for (item, theirs) in zip(cases, answers) {
      let report = try item.report()
      #expect(report.values.count == 13)
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(item.name): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
        #expect((value.value == nil) == report.notes.contains { $0.hasPrefix("\(value.name) is") })
      }
      #expect(
        report.classes?.count == (item.images.allSatisfy(\.objects.isEmpty) ? 0 : item.points))
      for entry in report.classes ?? [] {
        for (key, value) in entry.values {
          #expect(
            isClose(value, theirs["class.\(entry.label).\(key)"] ?? nil),
            "\(item.name): \(entry.label) \(key)")
        }
      }
      let isOther = item.points != 17 && report.classes?.isEmpty == false
      #expect(report.notes.contains { $0.contains("as in Ultralytics") } == isOther)
    }
  }

  private func person(_ names: [String], _ places: [(Double, Double)]) -> GroundTruthBox {
    var box = GroundTruthBox(label: "person", box: Box(x: 0, y: 0, width: 10, height: 5))
    box.keypoints = zip(names, places).map { GroundTruthKeypoint(name: $0, x: $1.0, y: $1.1) }
    return box
  }

  private func pose(_ names: [String], _ places: [(Double, Double)]) -> Prediction {
    Prediction(
      detections: [
        Detection(
          classIndex: 0, label: "pose", score: 1, box: Box(x: 0, y: 0, width: 1, height: 1),
          keypoints: zip(names, places).map { Keypoint(name: $0, x: $1.0, y: $1.1) })
      ], imageSize: (10, 10))
  }

  private func share(
    _ truths: [GroundTruthBox], _ prediction: Prediction?, labels: [String] = []
  ) throws -> [Double?] {
    let metric = KeypointMetric(name: "keypoints", context: MetricContext(labels: labels))
    let item = try #require(try metric.evaluate(.boxes(truths), prediction))
    let report = try metric.reduce([item])
    return ["pck05", "pck10", "pck20", "oks_ar"].map { name in
      report.values.first { $0.name == name }?.value
    }
  }

  private let names = ["left_eye", "right_eye"]
  private let places = [(2.0, 2.0), (4.0, 2.0)]

  @Test func `points belong together by name, or by their order`() throws {
    let truth = [person(names, places)]
    let swapped = [(0.9, 0.9), (0.4, 0.2), (0.2, 0.2)]
    #expect(
      try share(truth, pose(["Nose", "Right eye", "left eye"], swapped)) == [1, 1, 1, 1])
    #expect(try share(truth, pose(["0", "1"], [(0.2, 0.2), (0.4, 0.2)])) == [1, 1, 1, 1])
    let error = #expect(throws: TensorIOError.self) {
      try share(truth, pose(["nose", "right eye", "chin"], swapped))
    }
    #expect(error?.code == .wrongOutputType)
    #expect(
      error?.message.contains("have the keypoints 'left_eye', 'right_eye', but the model finds 'n")
        == true)
  }

  @Test func `the longer side of the box limits the distance`() throws {
    // 1 and 2 pixels are 0.1 and 0.2 of the box's width.
    let near = pose(names, [(0.3, 0.2), (0.4, 0.4)])
    #expect(try share([person(names, places)], near).prefix(3) == [0, 0.5, 1])
    #expect(try share([person(names, places)], nil).prefix(3) == [0, 0, 0])
    // A single pose is compared with one of two people.
    #expect(
      try share([person(names, places), person(names, places)], near).prefix(3) == [0, 0.25, 0.5])
  }

  @Test func `a model of several classes is compared by class`() throws {
    var cat = person(names, places)
    cat.label = "cat"
    let exact = pose(names, [(0.2, 0.2), (0.4, 0.2)])
    #expect(try share([cat], exact, labels: ["person", "cat"]) == [0, 0, 0, 0])
    #expect(try share([cat], exact, labels: ["cat", "person"]) == [1, 1, 1, 1])
    #expect(try share([cat], exact, labels: ["person"]) == [1, 1, 1, 1])
  }

  @Test func `objects without keypoints don't count`() throws {
    let cup = GroundTruthBox(label: "cup", box: Box(x: 0, y: 0, width: 9, height: 9))
    let exact = pose(names, [(0.2, 0.2), (0.4, 0.2)])
    #expect(try share([cup, person(names, places)], exact) == [1, 1, 1, 1])
    #expect(try share([cup], exact) == [nil, nil, nil, nil])
    #expect(throws: TensorIOError.self) {
      try share([person(names, places), person(["a"], [(1, 1)])], exact)
    }
  }

  @Test func `an item with objects but without the names of their keypoints is refused`() throws {
    let metric = KeypointMetric(name: "keypoints", context: MetricContext(labels: []))
    let exact = pose(names, [(0.2, 0.2), (0.4, 0.2)])
    let whole = try #require(try metric.evaluate(.boxes([person(names, places)]), exact))
    var bare = DetectionItem()
    bare.add(
      TrueBox(
        category: 0, box: Box(x: 0, y: 0, width: 10, height: 5), area: 50, isCrowd: false))
    for items in [[whole, bare], [bare, whole], [bare]] {
      let error = #expect(throws: TensorIOError.self) { try metric.reduce(items) }
      #expect(error?.message.contains("has no 'pointNames'") == true)
    }
    // An item without objects has no names either, but it is whole.
    let extra = try #require(try metric.evaluate(.boxes([]), exact))
    let report = try metric.reduce([whole, extra])
    #expect(report.values.count == 13)
  }

  @Test func `a model that finds only boxes is an error that names the other metric`() throws {
    var boxes = pose(names, [(0.2, 0.2), (0.4, 0.2)])
    boxes.detections?[0].keypoints = nil
    let error = #expect(throws: TensorIOError.self) { try share([person(names, places)], boxes) }
    #expect(error?.message.contains("--metric detection") == true)
    #expect(throws: TensorIOError.self) { try share([person(names, places)], Prediction()) }
    var wrong = pose(names, [(.nan, 0.2), (0.4, 0.2)])
    #expect(try share([person(names, places)], wrong) == [0, 0, 0, 0])
    wrong.imageSize = nil
    #expect(throws: TensorIOError.self) { try share([person(names, places)], wrong) }
  }
}
