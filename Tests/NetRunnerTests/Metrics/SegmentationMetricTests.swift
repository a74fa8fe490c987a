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

@Suite final class SegmentationMetricTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "masks-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Masks and maps for our metric and the Python metric, which writes the masks.
  struct Case: Encodable {
    struct Image: Encodable {
      var mask: [[Int]]
      var mode = "gray"
      var map: [[Int]]?
    }

    var kind = "segmentation"
    var name: String
    var folder: String
    var images: [Image]
    var ignored = 255
    var offset = 0

    private enum CodingKeys: String, CodingKey {
      case kind, folder, images, ignored
      case offset = "label_offset"
    }

    func report(_ metric: String = "segmentation") throws -> MetricReport {
      var context = MetricContext(labels: [])
      context.ignoredClass = ignored
      context.labelOffset = offset
      var accumulator = MetricAccumulator(
        try MetricRegistry.standard.metric(named: metric, context: context))
      for (index, image) in images.enumerated() {
        let map = image.map.map {
          ClassMap(width: $0[0].count, height: $0.count, classes: $0.joined().map(UInt16.init))
        }
        try accumulator.add(
          .classMap("\(folder)/\(index).png"), map.map { Prediction(classMap: $0) }, at: index)
      }
      return try accumulator.report()
    }

    static func random(
      _ name: String, seed: UInt64, folder: String, images: Int = 4, classes: Int = 5,
      scale: Int = 1, mode: String = "gray", failing: Double = 0, ignoring: Double = 0.1,
      offset: Int = 0
    ) -> Self {
      var random = TestNumbers(seed: seed)
      var result = Self(
        name: name, folder: folder + "/\(seed)", images: [], offset: offset)
      for _ in 0..<images {
        let (width, height) = (12 * scale, 8 * scale)
        let map = (0..<8).map { _ in
          (0..<12).map { _ in Int.random(in: 0..<classes, using: &random) }
        }
        let mask = (0..<height).map { y in
          (0..<width).map { x in
            random.unit() < ignoring
              ? 255
              : random.unit() < 0.6
                ? map[y / scale][x / scale] : Int.random(in: 0..<classes, using: &random)
          }
        }
        result.images.append(
          Image(mask: mask, mode: mode, map: random.unit() < failing ? nil : map))
      }
      return result
    }
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals scikit-learn's for any kind and size of masks`() async throws {
    let root = folder.path
    let cases: [Case] = [
      .random("gray", seed: 1, folder: root),
      .random("palette", seed: 2, folder: root, classes: 21, mode: "palette"),
      .random("larger masks", seed: 3, folder: root, scale: 3),
      .random("failures", seed: 4, folder: root, images: 6, failing: 0.4),
      .random("all failed", seed: 5, folder: root, failing: 2),
      .random("all ignored", seed: 6, folder: root, ignoring: 2),
      .random("one class", seed: 7, folder: root, classes: 1),
      .random("one image", seed: 8, folder: root, images: 1),
      .random("an offset", seed: 9, folder: root, offset: -1),
    ]
    for item in cases {
      try FileManager.default.createDirectory(
        at: URL(filePath: item.folder), withIntermediateDirectories: true)
    }
    let answers = try await MetricPeer.answers(cases)
    for (item, theirs) in zip(cases, answers) {
      let report = try item.report()
      #expect(report.values.map(\.name) == ["mean_iou", "pixel_accuracy"])
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(item.name): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
      }
      #expect(report.classes?.count == theirs.keys.count { $0.hasSuffix(".iou") }, "\(item.name)")
      for entry in report.classes ?? [] {
        let expected = theirs["class.\(entry.label).iou"] ?? nil
        #expect(isClose((entry.values["iou"] ?? nil) ?? 0, expected), "\(item.name)")
      }
    }
  }

  /// A palette image with 2 bits per pixel and 3 x 2 pixels: 0 1 2 / 3 2 1.
  private func paletteMask() throws -> String {
    let path = folder.appending(path: "palette.png")
    try #require(Data(base64Encoded: Self.palettePNG)).write(to: path)
    return path.path
  }

  private static let palettePNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACAgMAAADgGo6JAAAADFBMVEUJCQnIAAAAyAAAAMhg3VCAAAAA"
    + "DElEQVR4nGOQYHgCAAEwAP1WzRxzAAAAAElFTkSuQmCC"

  @Test func `the indexes of a palette are the classes, whatever its colours`() throws {
    let mask = try ImageDecoder().numbers(contentsOf: try paletteMask())
    #expect(mask.width == 3)
    #expect(mask.height == 2)
    mask.withBytes { bytes in
      #expect(
        (0..<6).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) } == [0, 1, 2, 3, 2, 1])
    }
  }

  @Test func `pixels of a failed image count as wrong`() throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(
        named: "pixel_accuracy", context: MetricContext(labels: [])))
    let truth = GroundTruth.classMap(try paletteMask())
    try accumulator.add(truth, nil, at: 1)
    let map = ClassMap(width: 3, height: 2, classes: [0, 1, 2, 3, 2, 1])
    try accumulator.add(truth, Prediction(classMap: map), at: 0)
    let report = try accumulator.report()
    #expect(report.values.first?.value == 0.5)
    #expect(report.values.first?.count == 2)
    #expect(report.notes == ["1 of 2 images failed: all their pixels count as wrong."])
  }

  @Test func `a map with different proportions is an error that names both sizes`() throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "mean_iou", context: MetricContext(labels: [])))
    let map = ClassMap(width: 2, height: 2, classes: [0, 0, 0, 0])
    let truth = GroundTruth.classMap(try paletteMask())
    let error = #expect(throws: TensorIOError.self) {
      try accumulator.add(truth, Prediction(classMap: map), at: 0)
    }
    #expect(error?.message.contains("3 x 2 pixels, but the model's map has 2 x 2") == true)
  }

  @Test func `masks with colours or in other formats are errors`() throws {
    let path = folder.appending(path: "colour.png").path
    let image = PixelBuffer(width: 1, height: 1, format: .rgb, bytes: [1, 2, 3])
    try ImageEncoder().write(image, to: path)
    let error = #expect(throws: TensorIOError.self) {
      _ = try ImageDecoder().numbers(contentsOf: path)
    }
    #expect(error?.code == .unsupportedImage)
    #expect(error?.message.contains("neither a palette nor gray") == true)
    let photo = folder.appending(path: "photo.jpg").path
    try ImageEncoder().write(image, to: photo)
    #expect(throws: TensorIOError.self) { _ = try ImageDecoder().numbers(contentsOf: photo) }
    #expect(throws: TensorIOError.self) { _ = try ImageDecoder().numbers(contentsOf: "no.png") }
  }

  @Test func `damage at any byte of a mask gives an error or a mask, never a crash`() throws {
    let bytes = try #require(Data(base64Encoded: Self.palettePNG))
    let path = folder.appending(path: "damaged.png")
    for place in bytes.indices {
      for value in [0, 0x55, 0xff] as [UInt8] {
        var damaged = bytes
        damaged[place] = value
        try damaged.write(to: path)
        _ = try? ImageDecoder().numbers(contentsOf: path.path)
      }
      try bytes.prefix(place).write(to: path)
      #expect(throws: TensorIOError.self) {
        _ = try ImageDecoder().numbers(contentsOf: path.path)
      }
    }
  }
}
