// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import TensorIODecoding

/// The methods that read one kind of decoded output, which generated types use.
@Suite struct TypedOutputTests {
  private enum Place: String, CaseIterable, ModelLabel {
    case sea, sand, sky
  }

  private static let labels = #"{"type": "multi-label", "labels": "l.txt"}"#

  private static func outputs(
    _ shape: [Int], _ values: [Float], _ decode: String, labels: String = "sea\nsand\nsky\n"
  ) throws -> ModelOutputs {
    let backend = FixedOutputs(image: nil, outputs: [("output", shape, values)])
    return try backend.model(decode: decode, assets: ["l.txt": labels]).run(1)
  }

  @Test func `labels are read with and without a type`() throws {
    let outputs = try Self.outputs([3], [0.9, 0.1, 0.7], Self.labels)
    #expect(try outputs.labels("output").map(\.label) == ["sea", "sky"])
    let typed = try outputs.labels("output", as: Place.self)
    #expect(typed.map(\.label) == [.sea, .sky])
    #expect(typed.map(\.index) == [0, 2])
    #expect(typed[0].score == 0.9)
  }

  @Test func `two classes are read with and without a type`() throws {
    let decode = #"{"type": "binary", "labels": "l.txt"}"#
    let outputs = try Self.outputs([1], [0.75], decode, labels: "sea\nsky\n")
    let scores = try outputs.classification("output")
    #expect(scores.map(\.label) == ["sea", "sky"] && scores.map(\.value) == [0.25, 0.75])
    let typed = try outputs.scores("output", as: Place.self)
    #expect(typed.best == .sky && typed[label: .sea] == 0.25)
    let other = try Self.outputs([3], [0.9, 0.1, 0.7], Self.labels)
    let error = #expect(throws: TensorIOError.self) { try other.classification("output") }
    #expect(error?.message.contains("doesn't contain the scores of two classes") == true)
  }

  @Test func `a label without a value of the type is an error`() throws {
    let outputs = try Self.outputs([3], [0.9, 0.1, 0.7], Self.labels, labels: "sea\nsand\nfog\n")
    let error = #expect(throws: TensorIOError.self) { try outputs.labels("output", as: Place.self) }
    #expect(error?.code == .wrongOutputType)
    #expect(error?.message.contains("has the label 'fog', for which Place has no value") == true)
  }

  @Test func `a vector is read`() throws {
    let outputs = try Self.outputs([2], [3, 4], #"{"type": "embedding"}"#)
    #expect(try outputs.embedding("output").vector == [0.6, 0.8])
  }

  @Test func `a depth map is read`() throws {
    let map = try Self.outputs([1, 2], [3, 4], #"{"type": "depth", "unit": "m"}"#).depth("output")
    #expect(map.values == [3, 4] && map.unit == "m")
  }

  @Test func `numbers are read, and a single one by itself`() throws {
    let two = try Self.outputs([2], [3, 4], #"{"type": "regression"}"#)
    #expect(try two.measurements("output").map(\.value) == [3, 4])
    let error = #expect(throws: TensorIOError.self) { try two.measurement("output") }
    #expect(error?.message.contains("doesn't contain a single measurement") == true)
    let one = try Self.outputs([1], [3], #"{"type": "regression"}"#)
    #expect(try one.measurement("output").value == 3)
  }

  @Test func `text is read`() throws {
    let decode = #"{"type": "ctc", "labels": "l.txt", "activation": "none"}"#
    let outputs = try Self.outputs(
      [2, 3], [0.9, 0.1, 0, 0, 0.1, 0.9], decode, labels: "a\nb\n-\n")
    #expect(try outputs.text("output").text == "a")
  }

  @Test func `another kind of value names itself`() throws {
    let outputs = try Self.outputs([3], [0.9, 0.1, 0.7], Self.labels)
    func message(_ read: (ModelOutputs) throws -> Void) -> String? {
      #expect(throws: TensorIOError.self) { try read(outputs) }?.message
    }
    for (thing, found) in [
      ("objects", message { _ = try $0.objects("output") as [Detection] }),
      ("objects", message { _ = try $0.objects("output", as: Place.self) }),
      ("an embedding", message { _ = try $0.embedding("output") }),
      ("a depth map", message { _ = try $0.depth("output") }),
      ("measurements", message { _ = try $0.measurements("output") }),
      ("text", message { _ = try $0.text("output") }),
    ] {
      #expect(found == "'output' doesn't contain \(thing). Read it with decoded(_:).")
    }
  }
}
