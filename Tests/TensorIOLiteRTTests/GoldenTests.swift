// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

/// Runs sessions on raw bytes, and compares them with Python's interpreter bit for bit.
@Suite struct GoldenTests {
  /// Models that the runtime computes incorrectly or crashes on, and that we reject instead.
  static let refused: Set<String> = ["blockwise.tflite", "blockwise_output.tflite"]
  static let cases = GoldenCase.all.filter { !refused.contains($0.file) }

  @Test(arguments: cases)
  func `outputs equal those of Python's interpreter`(_ golden: GoldenCase) throws {
    let model = try LiteRTBackend().liteRTModel(at: Fixtures.model(golden.file))
    let index = try #require(
      model.signatures.firstIndex { $0.key == golden.signature ?? "" })
    let signature = model.signatures[index]
    #expect(signature.inputs.map(\.name) == golden.inputs.map(\.name))
    let session = try model.makeSession(signature: index, options: SessionOptions())
    try session.resizeInputs(to: golden.inputs.map(\.shape))
    for (position, input) in golden.inputs.enumerated() {
      if input.dtype == "string" {
        try session.setInput(at: position, to: unpackStrings(input.bytes))
      } else {
        try session.withInput(at: position) { memory in
          #expect(memory.byteCount == input.bytes.count)
          let bytes = [UInt8](input.bytes)
          memory.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        }
      }
    }
    try session.run()
    for (position, output) in golden.outputs.enumerated() {
      #expect(signature.outputs[position].name == output.name)
      #expect(session.outputShape(at: position) == output.shape)
      if output.dtype == "string" {
        let strings = try session.strings(ofOutput: position)
        #expect(strings == unpackStrings(output.bytes))
        continue
      }
      try session.withOutput(at: position) { bytes in
        let actual = bytes.withUnsafeBytes { Data($0) }
        try expect(actual, equals: output, within: golden.tolerance)
      }
    }
  }

  private func expect(
    _ actual: Data, equals expected: GoldenTensor, within tolerance: Double
  ) throws {
    guard tolerance > 0 else {
      #expect(actual == expected.bytes)
      return
    }
    let dataType = try #require(DataType(rawValue: expected.dtype))
    func numbers(_ data: Data) throws -> [Double] {
      try Tensor(copying: data.bytes, dataType: dataType, shape: expected.shape).numbers()
    }
    let differences = zip(try numbers(actual), try numbers(expected.bytes)).map { abs($0 - $1) }
    #expect((differences.max() ?? 0) <= tolerance)
  }

  private func unpackStrings(_ data: Data) -> [Data] {
    func integer(_ index: Int) -> Int {
      Int(data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 4, as: Int32.self) })
    }
    return (0..<integer(0)).map { data.subdata(in: integer($0 + 1)..<integer($0 + 2)) }
  }
}
