// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

/// Compares conversions of every number type to every data type and back with an independent model.
@Suite struct TensorNumberTests {
  static let types: [any TensorNumber.Type] = [
    Int8.self, Int16.self, Int32.self, Int64.self, Int.self, UInt8.self, UInt16.self, UInt32.self,
    UInt64.self, UInt.self, Float16.self, Float.self, Double.self,
  ]

  /// The data types of numbers, with the Swift type of their bytes.
  static let dataTypes: [(DataType, any TensorNumber.Type)] = [
    (.uint8, UInt8.self), (.int8, Int8.self), (.uint16, UInt16.self), (.int16, Int16.self),
    (.uint32, UInt32.self), (.int32, Int32.self), (.int64, Int64.self), (.float16, Float16.self),
    (.float32, Float.self), (.float64, Double.self),
  ]

  @Test(arguments: types.indices)
  func `a number is written exactly or rejected`(_ index: Int) throws {
    try checkEncoding(Self.types[index])
  }

  private func checkEncoding<Number: TensorNumber>(_ type: Number.Type) throws {
    for (dataType, elementType) in Self.dataTypes {
      try checkEncoding(type, as: dataType, of: elementType)
    }
  }

  private func checkEncoding<Number: TensorNumber, Element: TensorNumber>(
    _ type: Number.Type, as dataType: DataType, of elementType: Element.Type
  ) throws {
    let one = TensorSpec.scalar(dataType)
    let three = TensorSpec.numbers(dataType, [3])
    for number in Number.samples(150, seed: 1) {
      // Fractions are rounded to bytes; a separate test covers this.
      if dataType.isByte, number.float64.rounded(.towardZero) != number.float64 { continue }
      let result = refusedAsNil { try number.encoded(as: one, of: Element.self) }
      let isRight = ExactNumber(number).isRight(result?[0], as: Element.self)
      #expect(isRight, "\(Number.self) \(number) as \(dataType) became \(result ?? [])")
      let array = refusedAsNil { try [0, number, 0].encoded(as: three, of: Element.self) }
      #expect(ExactNumber(number).isRight(array?[1], as: Element.self))
      let converted = number.converted(to: Element.self)
      #expect((converted == nil) == (result == nil))
    }
  }

  @Test(arguments: types.indices)
  func `a number is read exactly or rejected`(_ index: Int) throws {
    try checkDecoding(Self.types[index])
  }

  private func checkDecoding<Number: TensorNumber>(_ type: Number.Type) throws {
    for (dataType, elementType) in Self.dataTypes {
      try checkDecoding(type, from: dataType, of: elementType)
    }
  }

  private func checkDecoding<Number: TensorNumber, Element: TensorNumber>(
    _ type: Number.Type, from dataType: DataType, of elementType: Element.Type
  ) throws {
    let one = TensorSpec.scalar(dataType)
    for element in Element.samples(100, seed: 2) {
      let result: Number? = unreadableAsNil { try Number.decoded([element], as: one) }
      let isRight = ExactNumber(element).isRight(result, as: Number.self)
      #expect(
        isRight, "\(dataType) \(element) as \(Number.self) became \(String(describing: result))")
    }
  }

  @Test func `integers of 2 to the power of 63 and more convert exactly or not at all`() {
    #expect(UInt64.max.converted(to: UInt64.self) == .max)
    #expect(UInt.max.converted(to: UInt64.self) == .max)
    #expect(UInt64.max.converted(to: Int64.self) == nil)
    #expect(UInt64.max.converted(to: Double.self) == nil)
    #expect((UInt64(1) << 63).converted(to: Float.self) == 0x1p63)
    #expect((UInt64(1) << 63 + 2048).converted(to: Double.self) == 0x1p63 + 2048)
    #expect((UInt64(1) << 63 + 2048).converted(to: Float.self) == nil)
    #expect((UInt64(1) << 63).converted(to: Float16.self) == nil)
  }

  @Test(
    arguments: [
      (0, 0), (1, 1), (2, nil), (-1, nil), (0.5, nil), (.nan, nil), (-0.0, 0),
    ] as [(Double, UInt8?)])
  func `a bool is 0 or 1`(_ number: Double, _ expected: UInt8?) {
    #expect(refusedAsNil { try number.encoded(as: .scalar(.bool), of: UInt8.self) }?[0] == expected)
    if let integer = Int(exactly: number) {
      let result = refusedAsNil { try integer.encoded(as: .scalar(.bool), of: UInt8.self) }
      #expect(result?[0] == expected)
    }
  }

  @Test(
    arguments: [
      (25.5, 26), (0.4, 0), (0.1 * 255, 26), (127.5, 128), (-0.4, 0), (255.4, 255), (255.5, nil),
      (-0.5, nil), (-1, nil), (256, nil), (.nan, nil), (.infinity, nil),
    ] as [(Double, UInt8?)])
  func `a fraction is rounded to the nearest byte and clamped to the range`(
    _ number: Double, _ expected: UInt8?
  ) {
    let spec = TensorSpec.scalar(.uint8)
    #expect(refusedAsNil { try number.encoded(as: spec, of: UInt8.self) }?[0] == expected)
    let float = Float(number)
    #expect(refusedAsNil { try float.encoded(as: spec, of: UInt8.self) }?[0] == expected)
    #expect(refusedAsNil { try [number].encoded(as: spec, of: UInt8.self) }?[0] == expected)
  }

  struct Refusal: Sendable {
    let value: any TensorEncodable
    let dataType: DataType
    let message: String
  }

  @Test(arguments: [
    Refusal(
      value: 300, dataType: .uint8,
      message: "'x' takes uint8 values, got 300: it is not between 0 and 255."),
    Refusal(
      value: -1, dataType: .uint32, message: "'x' takes uint32 values, got -1: it is out of range."),
    Refusal(
      value: 0.5, dataType: .int32,
      message: "'x' takes int32 values, got 0.5: it is not a whole number; round it first."),
    Refusal(
      value: Double.nan, dataType: .int64,
      message: "'x' takes int64 values, got nan: it is not a number."),
    Refusal(
      value: 16_777_217, dataType: .float32,
      message: "'x' takes float32 values, got 16777217: float32 can't represent that integer "
        + "exactly; pass it as a floating-point number to accept rounding."),
    Refusal(
      value: 1e300, dataType: .float32,
      message: "'x' takes float32 values, got 1e+300: it is out of range."),
    Refusal(
      value: Float(1e10), dataType: .float16,
      message: "'x' takes float16 values, got 1e+10: it is out of range."),
    Refusal(
      value: 2, dataType: .bool, message: "'x' takes bool values, got 2: a boolean is 0 or 1."),
  ])
  func `an error names the layer, the value and the reason`(_ refusal: Refusal) {
    let error = #expect(throws: TensorIOError.self) {
      try refusal.value.encoded(as: .scalar(refusal.dataType))
    }
    #expect(error?.code == .unrepresentableValue)
    #expect(error?.message == refusal.message)
  }

  @Test func `an error in an array names the index`() {
    let error = #expect(throws: TensorIOError.self) {
      try [1, 2, 300].encoded(as: .numbers(.uint8, [3]))
    }
    #expect(
      error?.message == "'x' at index 2 takes uint8 values, got 300: it is not between 0 and 255.")
  }

  @Test func `a number that can't be read names the value and what to read instead`() {
    let error = #expect(throws: TensorIOError.self) {
      try [Int].decoded([1, 0.5] as [Float], as: .numbers(.float32, [2]))
    }
    #expect(error?.code == .wrongOutputType)
    #expect(
      error?.message == "'x' holds 0.5 at index 1, which Int cannot represent exactly; "
        + "read it as Float or Double.")
  }

  @Test func `one number can't be read from several`() {
    let error = #expect(throws: TensorIOError.self) {
      try Float.decoded([1, 2] as [Float], as: .numbers(.float32, [2]))
    }
    #expect(
      error?.message == "'x' cannot be read as Float: it holds 2 values; read it as [Float].")
  }

  @Test func `numbers can't be encoded into or decoded from a layer of text`() {
    let text = TensorSpec.bytes(.string, [1])
    #expect(throws: TensorIOError.self) { try 1.tensorStrings(for: text) }
    #expect(throws: TensorIOError.self) { try Float.decode(strings: [Data()], as: text) }
    #expect(throws: TensorIOError.self) { try [Float].decode(strings: [Data()], as: text) }
  }
}

/// The value, or nil when a number was rejected; other errors are recorded.
private func refusedAsNil<Value>(_ body: () throws -> Value) -> Value? {
  nilForError(.unrepresentableValue, body)
}

private func unreadableAsNil<Value>(_ body: () throws -> Value) -> Value? {
  nilForError(.wrongOutputType, body)
}

private func nilForError<Value>(_ code: TensorIOError.Code, _ body: () throws -> Value) -> Value? {
  do {
    return try body()
  } catch {
    if (error as? TensorIOError)?.code != code { Issue.record(error) }
    return nil
  }
}
