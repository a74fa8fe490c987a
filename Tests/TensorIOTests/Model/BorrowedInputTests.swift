// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIOTesting
import Testing

@testable import TensorIO

/// Tests of inputs in memory that isn't an array of the library's.
@Suite struct BorrowedInputTests {
  private func model(_ shape: [Int] = [1, 4]) throws -> InferenceModel {
    let backend = EchoBackend([
      SignatureDescription(
        key: "", inputs: [.float("x", shape)], outputs: [.float("y", shape)])
    ])
    let bundle = try TestBundle(
      inputs: [.layer("x", Array(shape.dropFirst()))],
      outputs: [.layer("y", Array(shape.dropFirst()))])
    return try InferenceModel(bundle: bundle.open(), loader: ModelLoader(backends: [backend]))
  }

  @Test func `a span of numbers is the same as an array`() throws {
    let model = try model()
    let floats: [Float] = [1, 2.5, -3, 4]
    #expect(try model.run(floats.span)["y"] == floats)
    let doubles = [1, 2.5, -3, 4.0]
    #expect(try model.run(doubles.span)["y"] == floats)
    let integers: [Int32] = [1, 2, 3, 4, 5]
    #expect(try model.run(integers.span.extracting(1..<5))["y"] == [2, 3, 4, 5] as [Float])
    let error = #expect(throws: TensorIOError.self) { try model.run(integers.span) }
    #expect(error?.message == "'x' takes 4 values (shape [4]), got 5.")
  }

  @Test func `bytes of booleans are 0 or 1`() throws {
    let spec = TensorSpec(
      name: "x", shape: [3], dataType: .bool, kind: .vector(nil, labels: nil))
    func write(_ value: some TensorEncodable) throws -> TensorStorage {
      try TensorStorage(byteCount: 3) { try value.encode(into: &$0, as: spec) }
    }
    let storage = try write(Data([1, 0, 1]))
    #expect(try storage.withBytes { try [Bool].decode($0, as: spec) } == [true, false, true])
    let wrong: [UInt8] = [1, 0, 255]
    let tensor = try Tensor(copying: wrong.span.bytes, dataType: .bool, shape: [3])
    for value in [Data(wrong), tensor] as [any TensorEncodable] {
      let error = #expect(throws: TensorIOError.self) { try write(value) }
      #expect(
        error?.message == "'x' takes booleans, whose bytes are 0 or 1, but byte 2 is 255.")
    }
  }

  @Test func `bytes of any collection are the same as data`() throws {
    let model = try model()
    let values: [Float] = [1, 2, 3, 4]
    let data = values.withUnsafeBytes { Data($0) }
    #expect(try model.run(data)["y"] == values)
    #expect(try model.run(TensorBytes(data))["y"] == values)
    #expect(try model.run(TensorBytes(Array(data)[...]))["y"] == values)
    // These bytes aren't contiguous.
    #expect(try model.run(TensorBytes(Array(data.reversed()).reversed()))["y"] == values)
    #expect(try model.run(bytes: data.bytes)["y"] == values)
    for run in [
      { try model.run(TensorBytes(data.dropLast())) }, { try model.run(data.dropLast()) },
      { try model.run(bytes: data.bytes.extracting(first: 15)) },
    ] as [() throws -> ModelOutputs] {
      let error = #expect(throws: TensorIOError.self) { try run() }
      #expect(error?.message == "'x' takes 16 bytes (4 values of float32), got 15.")
    }
  }
}
