// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct DataTests {
  @Test func `without quantization, bytes are the tensor's own`() throws {
    let bytes = Data([1, 2, 3, 4, 5, 6, 7, 8])
    for spec in [
      TensorSpec.numbers(.float32, [2]), .numbers(.uint8, [8]), .bytes(.int16, [4]),
      .bytes(.int64, [1]),
    ] {
      #expect(try bytes.encoded(as: spec) == bytes)
      #expect(try Data.decoded(bytes, as: spec) == bytes)
    }
  }

  @Test func `an image's raw bytes may be passed unchanged`() throws {
    let bytes = Data(0..<12)
    #expect(try bytes.encoded(as: .image(.uint8)) == bytes)
  }

  @Test func `the bytes of an image's file are refused, and the message says what takes them`() {
    let error = #expect(throws: TensorIOError.self) {
      try Data([0xFF, 0xD8]).encoded(as: .image(.uint8))
    }
    #expect(
      error?.message == "'x' takes 12 bytes (12 values of uint8), got 2. "
        + "Pass the bytes of an image's file as an ImageFile.")
  }

  @Test func `with quantization, bytes are float32 numbers, for inputs and outputs`() throws {
    let numbers: [Float] = [0, 0.5, 1]
    let bytes = numbers.withUnsafeBytes { Data($0) }
    #expect(try bytes.encoded(as: .numbers(.uint8, [3], .zeroToOne)) == Data([0, 127, 255]))
    let output = try Data.decoded(
      [0, 255] as [UInt8], as: .numbers(.uint8, [2], .toZeroToOne))
    #expect(output.elements(of: Float.self) == [0, 1])
  }

  @Test(arguments: [0, 7, 9, 16])
  func `data that is too short or too long is an error that names both sizes`(_ count: Int) {
    let error = #expect(throws: TensorIOError.self) {
      try Data(count: count).encoded(as: .numbers(.float32, [2]))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == "'x' takes 8 bytes (2 values of float32), got \(count).")
  }

  @Test(arguments: [0, 2, 7, 9])
  func `data that is too short or too long is rejected with quantization too`(_ count: Int) {
    let error = #expect(throws: TensorIOError.self) {
      try Data(count: count).encoded(as: .numbers(.uint8, [2], .zeroToOne))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == "'x' takes 8 bytes (2 values as float32), got \(count).")
  }

  @Test func `a slice of data is read from its start`() throws {
    let slice = Data([9, 9, 1, 2]).dropFirst(2)
    #expect(try slice.encoded(as: .numbers(.uint8, [2])) == Data([1, 2]))
  }

  @Test func `data is one string with any bytes`() throws {
    let bytes = Data([0xFF, 0])
    let spec = TensorSpec.bytes(.string, [1])
    #expect(try bytes.tensorStrings(for: spec) == [bytes])
    #expect(try Data.decode(strings: [bytes], as: spec) == bytes)
    #expect(try [Data].decode(strings: [bytes, Data()], as: spec) == [bytes, Data()])
    let error = #expect(throws: TensorIOError.self) {
      try Data.decode(strings: [bytes, bytes], as: spec)
    }
    #expect(
      error?.message == "'x' cannot be read as Data: it holds 2 strings; read it as [Data].")
  }
}
