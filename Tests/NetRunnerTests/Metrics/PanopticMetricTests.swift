// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite final class PanopticMetricTests {
  let folder: DatasetFolder

  init() throws { folder = try DatasetFolder() }

  /// Segments, maps and objects for our metric and the Python metric, which writes the segments.
  struct Case: Encodable {
    struct Segment: Encodable {
      var id: Int
      var owner: Int
      var crowd = false

      private enum CodingKeys: String, CodingKey {
        case id, crowd
        case owner = "class"
      }
    }

    struct Object: Encodable {
      var owner: Int
      var mask: [[Int]]

      private enum CodingKeys: String, CodingKey {
        case mask
        case owner = "class"
      }
    }

    struct Image: Encodable {
      var truth: [[Int]]
      var segments: [Segment]
      /// The class of each pixel, of which -1 is none of the dataset.
      var map: [[Int]]?
      /// The objects, the best last; nil without masks.
      var objects: [Object]?
    }

    struct Class: Encodable {
      var name: String
      var thing: Bool
    }

    var kind = "panoptic"
    var folder: String
    var classes: [Class]
    var images: [Image] = []

    func truth(_ index: Int) -> GroundTruth {
      .segments(
        GroundTruthSegments(
          path: "\(folder)/\(index).png",
          segments: images[index].segments.map {
            .init(id: $0.id, classIndex: $0.owner, isCrowd: $0.crowd)
          }, classes: classes.map { .init(name: $0.name, isThing: $0.thing) }))
    }

    /// The prediction of a model whose labels are in another order, with a background.
    func prediction(_ index: Int) -> Prediction? {
      let image = images[index]
      guard image.map != nil || image.objects != nil else { return nil }
      var prediction = Prediction(imageSize: (image.truth[0].count, image.truth.count))
      prediction.classMap = image.map.map { map in
        ClassMap(
          width: map[0].count, height: map.count,
          classes: map.joined().map { UInt16($0 < 0 ? 0 : classes.count - $0) })
      }
      prediction.detections = image.objects?.enumerated().map { score, object in
        Detection(
          classIndex: classes.count - object.owner, label: "", score: Float(score),
          box: Box(x: 0, y: 0, width: 1, height: 1),
          mask: ObjectMask(
            x: 0, y: 0, width: object.mask[0].count, height: object.mask.count,
            pixels: object.mask.joined().map { $0 > 0 }))
      }
      return prediction
    }

    func report(_ metric: String = "panoptic") throws -> MetricReport {
      let labels = ["background"] + classes.map(\.name).reversed()
      let metric = try MetricRegistry.standard.metric(
        named: metric, context: MetricContext(labels: labels))
      var whole = MetricAccumulator(metric)
      for part in 0...1 {
        var accumulator = MetricAccumulator(metric)
        let own = images.indices.filter { $0 % 2 == part }
        for index in own { try accumulator.add(truth(index), prediction(index), at: index) }
        try whole.merge(try accumulator.items(at: own), at: own)
      }
      return try whole.report()
    }

    /// Random rectangles of stuff and things, which the prediction moves a little.
    static func random(
      seed: UInt64, folder: String, images: Int = 6, classes: Int = 4, objects: Int = 4,
      scale: Int = 1, noise: Double = 0.2, crowds: Double = 0.1, masks: Bool = false,
      maps: Bool = true, failing: Double = 0
    ) -> Self {
      var random = TestNumbers(seed: seed)
      var result = Self(
        folder: "\(folder)/\(seed)",
        classes: (0..<classes).map { Class(name: "class \($0)", thing: $0 % 2 == 0) })
      let (width, height) = (16, 12)
      for _ in 0..<images {
        var truth = Array(repeating: Array(repeating: 0, count: width), count: height)
        var map = truth.map { $0.map { _ in -1 } }
        var image = Image(truth: [], segments: [], objects: masks ? [] : nil)
        func fill(_ grid: inout [[Int]], _ frame: [Int], _ value: Int) {
          for y in frame[1]..<min(frame[1] + frame[3], height) {
            for x in frame[0]..<min(frame[0] + frame[2], width) { grid[y][x] = value }
          }
        }
        for _ in 0..<Int.random(in: 1...(classes + objects), using: &random) {
          let owner = Int.random(in: 0..<classes, using: &random)
          let frame = [
            Int.random(in: 0..<12, using: &random), Int.random(in: 0..<8, using: &random),
            Int.random(in: 2..<9, using: &random), Int.random(in: 2..<9, using: &random),
          ]
          let moved = frame.map {
            random.unit() < noise ? max(0, $0 + Int.random(in: -1...1, using: &random)) : $0
          }
          if random.unit() > 0.1 {
            let id = Int.random(in: 1..<(1 << 24), using: &random)
            let isThing = owner % 2 == 0
            let old = isThing ? nil : image.segments.first { $0.owner == owner }
            if old == nil {
              image.segments.append(
                Segment(id: id, owner: owner, crowd: isThing && random.unit() < crowds))
            }
            fill(&truth, frame, old?.id ?? id)
          }
          if random.unit() > 0.1 {
            if masks, owner % 2 == 0 {
              var mask = truth.map { $0.map { _ in 0 } }
              fill(&mask, moved, 1)
              image.objects?.append(Object(owner: owner, mask: mask))
            } else {
              fill(&map, moved, owner)
            }
          }
        }
        func scaled(_ grid: [[Int]]) -> [[Int]] {
          (0..<(height * scale)).map { y in
            (0..<(width * scale)).map { grid[y / scale][$0 / scale] }
          }
        }
        image.truth = scaled(truth)
        image.objects = image.objects?.map { Object(owner: $0.owner, mask: scaled($0.mask)) }
        if maps { image.map = map }
        if random.unit() < failing { (image.map, image.objects) = (nil, nil) }
        result.images.append(image)
      }
      return result
    }
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals that of the definition in NumPy`() async throws {
    let root = folder.path
    let cases: [Case] = [
      .random(seed: 1, folder: root), .random(seed: 2, folder: root, noise: 0),
      .random(seed: 3, folder: root, scale: 3), .random(seed: 4, folder: root, crowds: 1),
      .random(seed: 5, folder: root, masks: true),
      .random(seed: 6, folder: root, masks: true, maps: false),
      .random(seed: 7, folder: root, failing: 0.4), .random(seed: 8, folder: root, failing: 2),
      .random(seed: 9, folder: root, images: 30, classes: 9, objects: 9, masks: true),
      .random(seed: 10, folder: root, classes: 1), .random(seed: 11, folder: root, images: 1),
    ]
    for item in cases {
      try FileManager.default.createDirectory(
        at: URL(filePath: item.folder), withIntermediateDirectories: true)
    }
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    for (index, (item, theirs)) in zip(cases, answers).enumerated() {
      let report = try item.report()
      #expect(report.values.map(\.name) == ["pq", "sq", "rq", "pq_things", "pq_stuff"])
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(index): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
      }
      let classes = report.classes ?? []
      #expect(3 * classes.count == theirs.keys.count { $0.hasPrefix("class.") })
      for entry in classes {
        for (key, value) in entry.values {
          #expect(
            isClose(value, theirs["class.\(entry.label).\(key)"] ?? nil),
            "\(index): \(entry.label) \(key)")
        }
      }
      let failed = item.images.count { $0.map == nil && $0.objects == nil }
      #expect(report.notes.contains { $0.hasPrefix("\(failed) of ") } == (failed > 0))
    }
  }

  @Test(arguments: 1...4)
  func `counts that no image can have are refused`(place: Int) throws {
    let metric = try PanopticMetric(name: "panoptic", context: MetricContext(labels: ["sky"]))
    let wrong: [Double] = [1e300, 0x1p41, -1, .nan, .infinity]
    for number in wrong {
      var numbers: [Double] = [0, 0, 0, 0, 0]
      numbers[place] = number
      let item = PanopticMetric.Item(
        classes: ["sky"], counts: PackedNumbers(numbers), unknown: [], failed: false)
      let error = #expect(throws: TensorIOError.self) { try metric.reduce([item]) }
      #expect(error?.message.contains("must lie between 0 and 2^40") == true)
    }
  }

  @Test func `the largest counts of many classes can be added`() throws {
    let metric = try PanopticMetric(name: "panoptic", context: MetricContext(labels: ["sky"]))
    let largest: [Double] = [0, 0x1p40, 0x1p40, 0x1p40, 0x1p40]
    let item = PanopticMetric.Item(
      classes: (0..<2100).map { "c\($0)" },
      counts: PackedNumbers((0..<2100).flatMap { _ in largest }), unknown: [], failed: false)
    let report = try metric.reduce([item, item])
    #expect(report.values.first?.value == 0.5)
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `classes and models that don't fit are noted or errors`() async throws {
    let item = Case.random(seed: 1, folder: folder.path, images: 1, masks: true)
    try FileManager.default.createDirectory(
      at: URL(filePath: item.folder), withIntermediateDirectories: true)
    _ = try await MetricPeer.answers([item])
    let prediction = try #require(item.prediction(0))
    let stranger = try PanopticMetric(name: "pq", context: MetricContext(labels: ["sky"]))
    let found = try #require(try stranger.evaluate(item.truth(0), prediction))
    let report = try stranger.reduce([found])
    #expect(report.values.map(\.value) == [0])
    #expect(report.notes.contains { $0.contains("none of its labels names: 'class ") })
    #expect(throws: TensorIOError.self) { try stranger.evaluate(item.truth(0), Prediction()) }
    #expect(try stranger.evaluate(.label("sky"), prediction) == nil)
    var other = prediction
    other.imageSize = (1, 1)
    #expect(throws: TensorIOError.self) { try stranger.evaluate(item.truth(0), other) }
    other = prediction
    other.classMap = ClassMap(width: 1, height: 1, classes: [0])
    #expect(throws: TensorIOError.self) { try stranger.evaluate(item.truth(0), other) }
    let error = #expect(throws: TensorIOError.self) {
      try PanopticMetric(name: "pq", context: MetricContext(labels: []))
    }
    #expect(error?.message.contains("needs the model's labels") == true)
  }
}
