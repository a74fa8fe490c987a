// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIODecoding
import TensorIOImageCodecs
import TensorIOLiteRT
import Testing

@testable import NetRunner

@Suite struct EvaluatorTests {
  static let demo = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Demo").path

  static func evaluator(_ name: String = "digits") throws -> Evaluator {
    let loader = ModelLoader(backends: [.liteRT], sessions: 2)
    return try Evaluator(
      InferenceModel(bundle: ModelBundle("\(demo)/\(name).tiobundle"), loader: loader))
  }

  static let seven = "\(demo)/images/digit-7-01.png"

  @Test func `a file gives its labels and the time of each stage`() throws {
    let evaluation = try Self.evaluator().evaluate(.file(Self.seven), iterations: 3)
    let classification = try #require(try evaluation.result.get().classification)
    #expect(classification.top(1).first?.label == "seven")
    #expect(evaluation.id == Self.seven)
    let latency = evaluation.latency
    for stage in [latency.decode, latency.preprocess, latency.inference, latency.postprocess] {
      #expect(stage > .zero)
    }
    let image = try ImageDecoder().decode(contentsOf: Self.seven)
    #expect(evaluation.size?.width == image.width)
    #expect(evaluation.size?.height == image.height)
  }

  @Test func `bytes, pixels and addresses give the same result as the file`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.seven)))
    let loader = ModelLoader(backends: [.liteRT])
    let model = try InferenceModel(
      bundle: ModelBundle("\(Self.demo)/digits.tiobundle"), loader: loader)
    let evaluator = try Evaluator(model, fetch: { _ in bytes })
    let expected = try evaluator.evaluate(.file(Self.seven)).result.get().classification
    let pixels = try ImageDecoder().decode(bytes)
    let sources: [ImageSource] = [
      .bytes(bytes, name: "seven"), .pixels(pixels, name: "seven"), .url("https://example.org/7"),
    ]
    for source in sources {
      #expect(try evaluator.evaluate(source).result.get().classification == expected)
    }
  }

  @Test func `the error of an image is in its evaluation`() throws {
    let evaluator = try Self.evaluator()
    let missing = evaluator.evaluate(.file("nowhere.png"))
    #expect(throws: TensorIOError.self) { try missing.result.get() }
    let damaged = evaluator.evaluate(.bytes([0xFF, 0xD8, 0xFF], name: "cut.jpg"))
    guard case .failure(let error) = damaged.result else {
      Issue.record("A truncated image was evaluated.")
      return
    }
    #expect(error.message.contains("cut.jpg"))
    let address = evaluator.evaluate(.url("https://example.org/7.png"))
    guard case .failure(let refusal) = address.result else {
      Issue.record("An address was evaluated without being fetched.")
      return
    }
    #expect(refusal.message.contains("doesn't download images"))
  }
}

@Suite struct DetectionPlacementTests {
  private func whole(_ crop: ImageCrop, _ box: Box) throws -> Box {
    let spec = TensorSpec(
      name: "image", shape: [100, 100, 3],
      kind: .imageInput(ImageShape(height: 100, width: 100), ImagePreprocessing(crop: crop)))
    return try box.inWholeImage(of: (400, 200), spec)
  }

  private let all = Box(x: 0, y: 0, width: 1, height: 1)

  @Test func `boxes of a stretched image stay where they are`() throws {
    let box = Box(x: 0.1, y: 0.2, width: 0.3, height: 0.4)
    #expect(try whole(ImageCrop(.stretch), box) == box)
  }

  @Test func `boxes of a cropped image are in the middle`() throws {
    // The middle 200 x 200 of 400 x 200.
    let expected = Box(x: 0.25, y: 0, width: 0.5, height: 1)
    #expect(try whole(ImageCrop(.center), all) == expected)
    // The middle half of that.
    #expect(
      try whole(ImageCrop(.center, fraction: 0.5), all)
        == Box(x: 0.375, y: 0.25, width: 0.25, height: 0.5))
  }

  @Test func `boxes of an image with a margin may extend over its edge`() throws {
    // 100 x 50 in the middle of 100 x 100: 25 rows above and below.
    #expect(
      try whole(ImageCrop(.pad), all) == Box(x: 0, y: -0.5, width: 1, height: 2))
    #expect(
      try whole(ImageCrop(.pad), Box(x: 0, y: 0.25, width: 0.5, height: 0.5))
        == Box(x: 0, y: 0, width: 0.5, height: 1))
  }
}
