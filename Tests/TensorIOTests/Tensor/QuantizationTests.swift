// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct QuantizationTests {
  // MARK: - Examples of the documents

  @Test func `0 to 1 becomes 0 to 255, truncated and not rounded`() throws {
    let bytes = try [0, 0.5, 1, 0.25].encoded(
      as: .numbers(.uint8, [4], .zeroToOne), of: UInt8.self)
    #expect(bytes == [0, 127, 255, 63])
  }

  @Test func `-1 to 1 becomes 0 to 255`() throws {
    let bytes = try [-1, 0, 1, 0.5].encoded(
      as: .numbers(.uint8, [4], .minusOneToOne), of: UInt8.self)
    #expect(bytes == [0, 127, 255, 191])
  }

  @Test func `a scale and a bias are applied as documented`() throws {
    let quantization = Quantization.linear(scale: 10, bias: -2)
    let bytes = try [2, 3, 3.05].encoded(as: .numbers(.uint8, [3], quantization), of: UInt8.self)
    #expect(bytes == [0, 10, 10])
    let numbers = try [Float].decoded([0, 3] as [UInt8], as: .numbers(.uint8, [2], quantization))
    #expect(numbers == [-2, 28])
  }

  @Test func `0 to 255 becomes 0 to 1`() throws {
    let numbers = try [Float].decoded(
      Array(0...255) as [UInt8], as: .numbers(.uint8, [256], .toZeroToOne))
    #expect(numbers.first == 0 && numbers.last == 1)
    for (index, number) in numbers.enumerated() {
      #expect(abs(Double(number) - Double(index) / 255) <= 1e-7)
    }
  }

  @Test func `0 to 255 becomes -1 to 1`() throws {
    let numbers = try [Float].decoded(
      Array(0...255) as [UInt8], as: .numbers(.uint8, [256], .toMinusOneToOne))
    #expect(numbers.first == -1 && numbers.last == 1)
    for (index, number) in numbers.enumerated() {
      #expect(abs(Double(number) - (Double(index) * 2 / 255 - 1)) <= 2e-7)
    }
  }

  @Test func `the limits of the standards are exact in float32`() {
    #expect(255 * (1 / 255 as Float) == 1)
    #expect(255 * (2 / 255 as Float) - 1 == 1)
    #expect(Quantization.toZeroToOne == .linear(scale: 1 / 255, bias: 0))
    #expect(Quantization.zeroToOne == .linear(scale: 255, bias: 0))
  }

  // MARK: - Single values

  @Test func `a single value is quantized as in a layer`() throws {
    let numbers: [Float] = [-2, -1, -0.25, 0, 0.1, 0.5, 1, 3.05, .infinity, -.infinity]
    let quantizations: [Quantization] = [
      .zeroToOne, .minusOneToOne, .linear(scale: 10, bias: -2), .model,
    ]
    let stored = StoredQuantization(scales: [0.02], zeroPoints: [-3])
    for quantization in quantizations {
      let spec = TensorSpec.numbers(.int8, [numbers.count], quantization, stored: stored)
      let bytes = try numbers.encoded(as: spec, of: Int8.self)
      for (number, byte) in zip(numbers, bytes) {
        #expect(try quantization.quantize(number, as: Int8.self, stored: stored) == byte)
      }
      for (number, byte) in zip(try [Float].decoded(bytes, as: spec), bytes) {
        #expect(try quantization.dequantize(byte, stored: stored) == number)
      }
    }
    #expect(try Quantization.zeroToOne.quantize(0.5) == 127)
    #expect(try Quantization.toMinusOneToOne.dequantize(UInt8(255)) == 1)
  }

  @Test func `a single value that can't be quantized is an error`() {
    let notANumber = #expect(throws: TensorIOError.self) {
      try Quantization.zeroToOne.quantize(.nan)
    }
    #expect(notANumber?.message == "nan has no quantized value.")
    let channels = StoredQuantization(scales: [1, 2], zeroPoints: [0, 0], axis: 0)
    for stored in [nil, channels] {
      let error = #expect(throws: TensorIOError.self) {
        try Quantization.model.quantize(1, stored: stored)
      }
      #expect(error?.code == .invalidOption)
      #expect(error?.message.contains("needs the model's scale and zero point") == true)
    }
  }

  // MARK: - Limits

  @Test(
    arguments: [
      (.uint8, -1000, 0), (.uint8, 1000, 255), (.uint8, .infinity, 255), (.uint8, -.infinity, 0),
      (.uint8, -0.9, 0), (.uint8, 255.9, 255), (.int8, 1000, 127), (.int8, -1000, -128),
      (.int8, -1.9, -1), (.int16, 1e9, 32767), (.int32, 1e30, 2_147_483_647),
      (.int32, -1e30, -2_147_483_648),
    ] as [(DataType, Float, Int)])
  func `values outside the layer's range are clamped`(
    _ dataType: DataType, _ value: Float, _ expected: Int
  ) throws {
    let spec = TensorSpec.scalar(dataType, .linear(scale: 1, bias: 0))
    let data = try value.encoded(as: spec)
    #expect(try Int.decoded(data, as: .scalar(dataType)) == expected)
  }

  @Test(arguments: [Quantization.zeroToOne, .model])
  func `NaN has no quantized value`(_ quantization: Quantization) {
    let stored = StoredQuantization(scales: [1], zeroPoints: [0])
    let error = #expect(throws: TensorIOError.self) {
      try [0, Float.nan].encoded(as: .numbers(.uint8, [2], quantization, stored: stored))
    }
    #expect(error?.code == .unrepresentableValue)
    #expect(
      error?.message
        == "'x' at index 1 takes uint8 values, got NaN: it has no quantized value.")
  }

  @Test(arguments: [DataType.float32, .int64, .bool])
  func `only integers of up to 32 bits are quantized`(_ dataType: DataType) {
    let spec = TensorSpec.scalar(dataType, .zeroToOne)
    let written = #expect(throws: TensorIOError.self) { try 0.5.encoded(as: spec) }
    #expect(written?.code == .wrongKind)
    let data = Data(count: dataType.byteWidth)
    let read = #expect(throws: TensorIOError.self) { try Float.decoded(data, as: spec) }
    #expect(read?.code == .wrongKind)
  }

  @Test func `a wrong count is reported before anything is written`() {
    let error = #expect(throws: TensorIOError.self) {
      try [0.5].encoded(as: .numbers(.uint8, [2], .zeroToOne))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == "'x' takes 2 values (shape [2]), got 1.")
  }

  @Test func `integers are quantized like equal floats`() throws {
    let spec = TensorSpec.numbers(.uint8, [2], .zeroToOne)
    #expect(try [0, 1].encoded(as: spec, of: UInt8.self) == [0, 255])
    #expect(try [UInt8](arrayLiteral: 0, 1).encoded(as: spec, of: UInt8.self) == [0, 255])
  }

  @Test func `a dequantized number is read as an integer only if it's whole`() throws {
    let spec = TensorSpec.numbers(.uint8, [2], .toZeroToOne)
    #expect(try [Int].decoded([0, 255] as [UInt8], as: spec) == [0, 1])
    #expect(throws: TensorIOError.self) { try [Int].decoded([0, 1] as [UInt8], as: spec) }
  }

  // MARK: - The model's own scale

  @Test func `int8 uses the stored scale and zero point, rounded to nearest`() throws {
    let stored = StoredQuantization(scales: [0.5], zeroPoints: [-10])
    let spec = TensorSpec.numbers(.int8, [6], .model, stored: stored)
    let bytes = try [0, 0.5, 0.7, 0.8, -100, 100].encoded(as: spec, of: Int8.self)
    #expect(bytes == [-10, -9, -9, -8, -128, 127])
    let numbers = try [Float].decoded([-10, -9, -128, 127, 0, 1] as [Int8], as: spec)
    #expect(numbers == [0, 0.5, -59, 68.5, 5, 5.5])
  }

  @Test func `halves are rounded away from zero, as the runtime does`() throws {
    let stored = StoredQuantization(scales: [1], zeroPoints: [3])
    let spec = TensorSpec.numbers(.int8, [4], .model, stored: stored)
    #expect(try [0.5, 1.5, -0.5, -1.5].encoded(as: spec, of: Int8.self) == [4, 5, 2, 1])
  }

  @Test func `without a stored scale, the model's quantization is an error`() {
    let spec = TensorSpec.scalar(.int8, .model)
    let written = #expect(throws: TensorIOError.self) { try 0.5.encoded(as: spec) }
    #expect(written?.code == .invalidModel)
    let read = #expect(throws: TensorIOError.self) { try Float.decoded([0] as [Int8], as: spec) }
    #expect(read?.code == .invalidModel)
  }

  /// A shape [2, 3] with a scale for each index of one axis, and the quantized values of 12.
  static let perChannel: [(elementsPerScale: Int, scales: [Float], quantized: [Int8])] = [
    (1, [1, 2, 4], [12, 6, 3, 12, 6, 3]), (3, [1, 2], [12, 12, 12, 6, 6, 6]),
  ]

  @Test(arguments: perChannel.indices)
  func `each channel has its own scale, however the numbers are passed`(_ index: Int) throws {
    let (elementsPerScale, scales, quantized) = Self.perChannel[index]
    let stored = StoredQuantization(
      scales: scales, zeroPoints: scales.map { _ in 0 },
      elementsPerScale: elementsPerScale)
    let numbers = [Float](repeating: 12, count: 6)
    let number = TensorValue.number(.integer(12))
    let mixed: [TensorValue.Number] = [
      .integer(12), .double(12), .float(12), .integer(12), .double(12), .float(12),
    ]
    let values: [any TensorEncodable] = [
      numbers, [[12, 12, 12], [12, 12, 12]], [[[12], [12], [12]], [[12], [12], [12]]],
      Data(numbers.withUnsafeBytes { Data($0) }), TensorValue.numbers(mixed),
      TensorValue.numbers([TensorValue.Number](repeating: .integer(12), count: 6)),
      TensorValue.list([number, number, number, number, number, number]),
      TensorValue.list([.list([number, number, number]), .list([number, number, number])]),
    ]
    // The tensor's own shape counts, however the layer describes it.
    for shape in [[2, 3], [-1, 2, 3], [1, 2, 3], [6], [3, 2]] {
      let spec = TensorSpec.numbers(.int8, shape, .model, stored: stored)
      for value in values {
        #expect(try value.encoded(as: spec, of: Int8.self) == quantized, "\(value)")
      }
      #expect(try [Float].decoded(quantized, as: spec) == numbers)
    }
  }

  @Test func `each channel has its own zero point`() throws {
    let stored = StoredQuantization(scales: [1, 0.5], zeroPoints: [10, -10])
    let spec = TensorSpec.numbers(.int8, [2, 2], .model, stored: stored)
    #expect(try [[0, 0], [1, 1]].encoded(as: spec, of: Int8.self) == [10, -10, 11, -8])
    #expect(try [Float].decoded([10, -10, 11, -8] as [Int8], as: spec) == [0, 0, 1, 1])
  }

  // MARK: - Round trips

  @Test func `every byte is restored from its number with the model's scale`() throws {
    let stored = StoredQuantization(scales: [0.0039], zeroPoints: [-7])
    let spec = TensorSpec.numbers(.int8, [256], .model, stored: stored)
    let bytes = (-128...127).map { Int8($0) }
    #expect(try [Float].decoded(bytes, as: spec).encoded(as: spec, of: Int8.self) == bytes)
  }
}
