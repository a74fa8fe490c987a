// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TestSupport
import Testing

@testable import NetRunner

@Suite struct TruthComparerTests {
  private static func detection(
    _ index: Int, _ score: Float, x: Double, keypoints: [Keypoint]? = nil
  ) -> Detection {
    // Fractions of an image of 100 x 100 pixels.
    Detection(
      classIndex: index, label: ["cat", "dog"][index], score: score,
      box: Box(x: x, y: 0, width: 0.1, height: 0.1), keypoints: keypoints)
  }

  private static func object(_ label: String, x: Double) -> GroundTruthBox {
    GroundTruthBox(label: label, box: Box(x: x, y: 0, width: 10, height: 10))
  }

  private static let comparer = TruthComparer(MetricContext(labels: ["cat", "dog"]))

  @Test func `objects are found, confused, missed or false`() throws {
    let prediction = Prediction(
      detections: [
        Self.detection(1, 0.5, x: 0.2), Self.detection(0, 0.9, x: 0),
        Self.detection(0, 0.6, x: 0.8), Self.detection(0, 0.1, x: 0.6),
      ], imageSize: (100, 100))
    var outlined = Self.object("cat", x: 0)
    outlined.outline = [[0, 0, 10, 0, 10, 10]]
    let truth = GroundTruth.boxes([
      outlined, Self.object("cat", x: 20), Self.object("dog", x: 40),
    ])
    let comparison = try #require(
      try Self.comparer.comparison(of: prediction, with: truth, drawing: true))
    #expect(comparison.found == 1 && comparison.confused == 1)
    #expect(comparison.missed == 1 && comparison.extra == 1 && comparison.detections == 3)
    let shapes = try #require(comparison.shapes)
    #expect(shapes.truth.map(\.state) == [.matched, .confused, .missed])
    #expect(shapes.truth.map(\.partner) == [0, 2, nil])
    #expect(shapes.truth.map(\.outline) == [[[0, 0, 10, 0, 10, 10]], nil, nil])
    // The highest score comes first.
    #expect(shapes.predicted.map(\.score) == [0.9, 0.6, 0.5, 0.1])
    #expect(shapes.predicted.map(\.state) == [.matched, .extra, .confused, .ignored])
    #expect(shapes.predicted.map(\.partner) == [0, nil, 1, nil])
    #expect(abs(shapes.predicted[2].box.x - 20) < 1e-9)
    let plain = try Self.comparer.comparison(of: prediction, with: truth, drawing: false)
    #expect(plain?.shapes == nil && plain?.found == 1)
  }

  @Test func `all objects of a failed image are missed, and nothing is said without a truth`()
    throws
  {
    let truth = GroundTruth.boxes([Self.object("cat", x: 0)])
    let failed = try Self.comparer.comparison(of: nil, with: truth, drawing: true)
    #expect(failed?.missed == 1 && failed?.found == 0 && failed?.shapes == nil)
    let prediction = Prediction(
      detections: [Self.detection(0, 0.9, x: 0)], imageSize: (100, 100))
    let alone = try Self.comparer.comparison(of: prediction, with: nil, drawing: true)
    #expect(alone?.missed == nil && alone?.mistakes == nil && alone?.detections == 1)
    #expect(alone?.shapes?.predicted.map(\.state) == [.unknown])
    #expect(try Self.comparer.comparison(of: Prediction(), with: nil, drawing: true) == nil)
  }

  @Test func `at most 100 objects and detections are drawn`() throws {
    let prediction = Prediction(
      detections: (0..<150).map { Self.detection($0 % 2, 0.9, x: Double($0) * 2) },
      imageSize: (100, 100))
    let truth = GroundTruth.boxes((0..<150).map { Self.object("cat", x: Double($0) * 200) })
    let comparison = try #require(
      try Self.comparer.comparison(of: prediction, with: truth, drawing: true))
    #expect(comparison.found.map { $0 + (comparison.confused ?? 0) } == 150)
    let shapes = try #require(comparison.shapes)
    #expect(shapes.truth.count == 100 && shapes.predicted.count == 100)
    #expect(shapes.truth.allSatisfy { $0.partner ?? 0 < 100 })
  }

  @Test func `keypoints are compared by their similarity`() throws {
    let names = ["left", "right"]
    var object = Self.object("cat", x: 0)
    object.keypoints = [
      GroundTruthKeypoint(name: "left", x: 2, y: 2), GroundTruthKeypoint(name: "right", x: 8, y: 8),
    ]
    func similarity(_ offset: Double) throws -> Double? {
      let points = zip(names, [0.02, 0.08]).reversed().map {
        Keypoint(name: $0, x: $1 + offset, y: $1)
      }
      let prediction = Prediction(
        detections: [Self.detection(0, 0.9, x: 0, keypoints: points)], imageSize: (100, 100))
      return try Self.comparer.comparison(of: prediction, with: .boxes([object]), drawing: false)?
        .similarity
    }
    // Points are found by their names, so their order doesn't matter.
    #expect(try similarity(0) == 1)
    let near = try #require(try similarity(0.02))
    let far = try #require(try similarity(0.06))
    #expect(near < 1 && far < near && far > 0)
  }

  @Test func `class maps have an IoU and numbers an error`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mask-\(UUID()).png")
    defer { try? FileManager.default.removeItem(at: folder) }
    let mask = PixelBuffer(width: 2, height: 2, format: .gray, bytes: [0, 1, 1, 255])
    try Data(ImageEncoder().encode(mask, as: .png)).write(to: folder)
    let prediction = Prediction(
      classMap: ClassMap(width: 2, height: 2, classes: [0, 0, 1, 1]), imageSize: (2, 2))
    let comparison = try Self.comparer.comparison(
      of: prediction, with: .classMap(folder.path), drawing: true)
    // Each class has one of two pixels in common; the pixel of 255 doesn't count.
    #expect(comparison?.iou == 0.5)
    #expect(comparison?.shapes?.truthPicture?.address.hasPrefix("data:image/png") == true)
    let numbers = Prediction(values: [1, 4])
    let error = try Self.comparer.comparison(of: numbers, with: .values([2, 2]), drawing: true)
    #expect(error?.error == 1.5)
    #expect(
      try Self.comparer.comparison(of: numbers, with: .values([2]), drawing: true) == nil)
  }

  @Test func `a comparison is the same after writing and reading it`() throws {
    let prediction = Prediction(
      detections: [Self.detection(0, 0.9, x: 0)], imageSize: (100, 100))
    let comparison = try Self.comparer.comparison(
      of: prediction, with: .boxes([Self.object("dog", x: 0)]), drawing: true)
    let json = try JSONEncoder().encode(comparison)
    #expect(try JSONDecoder().decode(TruthComparison?.self, from: json) == comparison)
  }
}
