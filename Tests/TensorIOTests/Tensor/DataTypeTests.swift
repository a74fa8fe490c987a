// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct DataTypeTests {
  @Test func `the names are those in model.json`() {
    let words = [
      "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "float16", "float32",
      "float64", "bool", "string",
    ]
    #expect(DataType.allCases.map(\.rawValue) == words)
    #expect(DataType(rawValue: "float") == nil)
    #expect("\(DataType.float32)" == "float32")
  }

  @Test(arguments: TensorNumberTests.dataTypes.indices)
  func `a number has as many bytes as its data type`(_ index: Int) {
    let (dataType, type) = TensorNumberTests.dataTypes[index]
    #expect(type.matchingDataType == dataType)
    func stride<Element>(_ type: Element.Type) -> Int { MemoryLayout<Element>.stride }
    #expect(stride(type) == dataType.byteWidth)
  }

  @Test func `a bool is one byte, and a string has no width`() {
    #expect(DataType.bool.byteWidth == 1)
    #expect(DataType.string.byteWidth == 0)
    #expect(UInt64.matchingDataType == nil)
    #expect(Int.matchingDataType == .int64)
  }

  @Test func `quantized bytes may be signed or unsigned`() {
    #expect(DataType.allCases.filter(\.isByte) == [.uint8, .int8])
  }
}
