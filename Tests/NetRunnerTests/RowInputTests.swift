// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetRunner
@testable import TensorIO

/// Tests how the numbers of a row become those of a tensor.
@Suite struct RowInputTests {
  /// Returns the elements of a tensor that is written from a row.
  private func elements<Number: TensorNumber>(
    of cells: [JSONValue], as dataType: DataType, shape: [Int]? = nil
  ) throws -> [Number] {
    let spec = TensorSpec(
      name: "x", shape: shape ?? [cells.count], dataType: dataType,
      kind: .vector(nil, labels: nil))
    let row = TableRow(columns: cells.indices.map { "c\($0)" }, cells: cells)
    let inputs = try ImageSource.row(row, name: "row 1").inputs(for: [spec])
    var numbers: [Number] = []
    try #require(inputs.count == 1)
    try inputs[0].forEach([spec], isOptional: []) { _, value in
      let value = try #require(value)
      let storage = try TensorStorage(byteCount: spec.byteCount) { memory in
        try value.encode(into: &memory, as: spec)
      }
      numbers = try storage.withBytes { try [Number].decode($0, as: spec) }
    }
    return numbers
  }

  @Test func `whole numbers that float32 can't hold are rounded, beside fractions or not`() throws {
    for last in ["2", "2.5"] {
      let texts: [Float] = try elements(
        of: ["1700000001", "16777217", last].map(JSONValue.string), as: .float32)
      #expect(texts == [1_700_000_000, 16_777_216, try #require(Float(last))])
    }
    let numbers: [Float] = try elements(of: [.number(1_700_000_001), .number(2)], as: .float32)
    #expect(numbers == [1_700_000_000, 2])
  }

  @Test func `integers that a double can't hold keep every digit`() throws {
    let texts: [Int64] = try elements(
      of: ["9007199254740993", "9223372036854775807", "-3", "4.0"].map(JSONValue.string),
      as: .int64)
    #expect(texts == [9_007_199_254_740_993, .max, -3, 4])
    let numbers: [Int64] = try elements(of: [.integer(9_007_199_254_740_993)], as: .int64)
    #expect(numbers == [9_007_199_254_740_993])
  }

  @Test func `nested arrays have the lengths of axes`() throws {
    func array(_ numbers: Double...) -> JSONValue { .array(numbers.map(JSONValue.number)) }
    let even: [Float] = try elements(
      of: [.array([array(1, 2), array(3, 4)])], as: .float32, shape: [2, 2])
    #expect(even == [1, 2, 3, 4])
    let error = #expect(throws: TensorIOError.self) {
      let _: [Float] = try elements(
        of: [.array([.number(1), array(2, 3, 4)])], as: .float32, shape: [4])
    }
    #expect(error?.message.contains("arrays of different lengths") == true)
  }
}
