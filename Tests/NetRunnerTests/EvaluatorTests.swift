// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
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
    let picture = try ImageDecoder().decode(contentsOf: Self.seven)
    #expect(evaluation.size?.width == picture.width)
    #expect(evaluation.size?.height == picture.height)
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
