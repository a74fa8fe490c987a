// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct TensorValueTests {
  @Test func `one element is a number of the layer's type`() throws {
    #expect(try number([7] as [UInt8], .uint8) == .integer(7))
    #expect(try number([-7] as [Int64], .int64) == .integer(-7))
    #expect(try number([.max] as [UInt32], .uint32) == .integer(4_294_967_295))
    #expect(try number([0.1] as [Float], .float32) == .float(0.1))
    #expect(try number([0.5] as [Float16], .float16) == .float(0.5))
    #expect(try number([0.1] as [Double], .float64) == .double(0.1))
    #expect(try number([1] as [UInt8], .bool) == .bool(true))
  }

  private func number<Element: BitwiseCopyable>(
    _ elements: [Element], _ dataType: DataType
  ) throws -> TensorValue.Number? {
    for spec in [
      TensorSpec.scalar(dataType), .numbers(dataType, [1, 1]), .numbers(dataType, [-1]),
    ] {
      guard case .number = try TensorValue.decoded(elements, as: spec) else { return nil }
    }
    guard case .number(let number) = try TensorValue.decoded(elements, as: .scalar(dataType)) else {
      return nil
    }
    return number
  }

  @Test func `several elements are an array`() throws {
    let value = try TensorValue.decoded([1, 2] as [Int32], as: .numbers(.int32, [1, 2]))
    guard case .numbers(let numbers) = value else {
      Issue.record("\(value)")
      return
    }
    #expect(numbers == [.integer(1), .integer(2)])
  }

  @Test func `dequantized bytes are floats`() throws {
    let value = try TensorValue.decoded([255] as [UInt8], as: .scalar(.uint8, .toZeroToOne))
    guard case .number(.float(1)) = value else {
      Issue.record("\(value)")
      return
    }
  }

  @Test(arguments: [1, 2])
  func `labels take precedence, even for one element`(_ count: Int) throws {
    let spec = TensorSpec.numbers(.float32, [count], labels: Array(["a", "b"].prefix(count)))
    let value = try TensorValue.decoded([Float](repeating: 0.5, count: count), as: spec)
    guard case .labels(let classification) = value else {
      Issue.record("\(value)")
      return
    }
    #expect(classification.count == count)
    #expect(classification[label: "a"] == 0.5)
  }

  @Test func `raw bytes keep their data type, and texts are bytes`() throws {
    guard
      case .bytes(let data, .int16) = try TensorValue.decoded(
        [258] as [Int16], as: .bytes(.int16, [1])),
      case .strings(let strings) = try TensorValue.decode(
        strings: [Data("a".utf8)], as: .bytes(.string, [1]))
    else {
      Issue.record("bytes or strings were expected")
      return
    }
    #expect(data == Data([2, 1]))
    #expect(strings == [Data("a".utf8)])
  }

  static let three: [TensorValue] = [
    .numbers([.integer(1), .integer(2), .integer(3)]),
    .numbers([.double(1), .double(2), .double(3)]),
    .numbers([.integer(1), .float(2), .double(3)]),
    .list([.number(.integer(1)), .number(.double(2)), .number(.float(3))]),
    .list([
      .list([.number(.integer(1))]), .list([.number(.integer(2))]), .list([.number(.integer(3))]),
    ]),
  ]

  @Test(arguments: three.indices)
  func `numbers of any type are encoded like the type they hold`(_ index: Int) throws {
    let value = Self.three[index]
    #expect(try value.encoded(as: .numbers(.uint8, [3]), of: UInt8.self) == [1, 2, 3])
    #expect(try value.encoded(as: .numbers(.float32, [3]), of: Float.self) == [1, 2, 3])
    #expect(
      try value.encoded(as: .numbers(.uint8, [3], .linear(scale: 10, bias: 0)), of: UInt8.self)
        == [10, 20, 30])
    #expect(value.tensorElementCount == 3)
    #expect(value.tensorItems?.count == 3)
    #expect(throws: TensorIOError.self) { try value.encoded(as: .numbers(.uint8, [4])) }
    #expect(throws: TensorIOError.self) { try value.tensorStrings(for: .bytes(.string, [3])) }
  }

  @Test func `other values are passed through`() throws {
    let bytes = TensorValue.bytes(Data([1, 2]), .uint8)
    #expect(try bytes.encoded(as: .numbers(.uint8, [2])) == Data([1, 2]))
    #expect(bytes.tensorItems == nil)
    let tensor = TensorValue.tensor(try Tensor([1] as [Float]))
    #expect(try tensor.encoded(as: .numbers(.float32, [1]), of: Float.self) == [1])
    let strings = TensorValue.strings([Data("a".utf8), Data()])
    #expect(try strings.tensorStrings(for: .bytes(.string, [2])) == [Data("a".utf8), Data()])
    #expect(strings.tensorItems?.count == 2)
    let labels = TensorValue.labels(Classification(labels: Labels(["a"]), values: [0.5]))
    #expect(try labels.encoded(as: .numbers(.float32, [1]), of: Float.self) == [0.5])
    #expect(throws: TensorIOError.self) {
      try TensorValue.number(.bool(true)).encoded(as: .scalar(.float32))
    }
  }

  @Test func `exact integers are rejected where doubles would be rounded`() {
    #expect(throws: TensorIOError.self) {
      try TensorValue.numbers([.integer(16_777_217), .integer(0)])
        .encoded(as: .numbers(.float32, [2]))
    }
    #expect(throws: Never.self) {
      try TensorValue.numbers([.double(16_777_217), .double(0)])
        .encoded(as: .numbers(.float32, [2]))
    }
  }
}
