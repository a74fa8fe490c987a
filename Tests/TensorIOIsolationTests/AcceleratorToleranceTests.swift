// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOIsolation
import Testing

struct AcceleratorToleranceTests {
  private static func difference<Element: BitwiseCopyable>(
    _ type: DataType, _ cpu: [Element], _ other: [Element], shape: [Int]? = nil,
    quantization: StoredQuantization? = nil
  ) -> String? {
    let output = TensorDescription(
      name: "y", dataType: type, shape: [], quantization: quantization)
    return cpu.withUnsafeBytes { cpu in
      other.withUnsafeBytes { other in
        AcceleratorTolerance.difference(
          in: output, shape: shape ?? [2, 1], cpu.bytes, other.bytes)
      }
    }
  }

  @Test func `floats may differ by a thousandth of the largest one`() {
    let cpu: [Float] = [-200, 0.1, 0]
    #expect(Self.difference(.float32, cpu, [-200, 0.29, -0.19]) == nil)
    #expect(
      Self.difference(.float32, cpu, [-200, 0.1, 0.25])
        == "element 2 of the output 'y' is 0.25, but 0.0 on the CPU")
    #expect(Self.difference(.float32, [0, 0] as [Float], [0, 1e-30]) != nil)
    #expect(Self.difference(.float64, [1, 2], [1, 2.001]) == nil)
    #expect(Self.difference(.float64, [1, 2], [1, 2.003]) != nil)
  }

  @Test func `NaN and infinite values must be at the same places`() {
    let cpu: [Float] = [.nan, .infinity, 1]
    #expect(Self.difference(.float32, cpu, cpu) == nil)
    for other: [Float] in [
      [1, .infinity, 1], [.nan, 1, 1], [.nan, .infinity, .nan], [.nan, -.infinity, 1],
      [.nan, .nan, 1], [.nan, .infinity, .infinity],
    ] {
      #expect(Self.difference(.float32, cpu, other) != nil, "\(other)")
    }
  }

  @Test func `quantized numbers may differ by one step, and others by none`() {
    let quantization = StoredQuantization(scales: [0.5], zeroPoints: [0])
    #expect(Self.difference(.uint8, [7, 9] as [UInt8], [8, 8], quantization: quantization) == nil)
    #expect(Self.difference(.uint8, [7, 9] as [UInt8], [9, 9], quantization: quantization) != nil)
    #expect(
      Self.difference(.int8, [-128, 127] as [Int8], [-127, 127], quantization: quantization)
        == nil)
    #expect(Self.difference(.int32, [7, 9] as [Int32], [7, 9]) == nil)
    #expect(Self.difference(.int32, [7, 9] as [Int32], [7, 8]) != nil)
    #expect(Self.difference(.bool, [1, 0] as [UInt8], [1, 1]) != nil)
  }

  @Test func `the label of a row must be the same`() {
    let quantization = StoredQuantization(scales: [0.5], zeroPoints: [0])
    let cpu: [UInt8] = [9, 10, 3]
    #expect(
      Self.difference(.uint8, cpu, [10, 9, 3], shape: [1, 3], quantization: quantization)
        == "the largest element of the output 'y' is 0, but 1 on the CPU")
    #expect(
      Self.difference(.uint8, cpu, [10, 9, 3], shape: [3, 1], quantization: quantization) == nil)
    // The CPU has two largest elements.
    #expect(
      Self.difference(
        .uint8, [10, 10, 3] as [UInt8], [9, 10, 3], shape: [3], quantization: quantization) == nil)
  }

  @Test func `outputs of other sizes, or of a type that isn't compared, differ`() {
    #expect(Self.difference(.float32, [1, 2] as [Float], [1] as [Float]) != nil)
    #expect(Self.difference(.float16, [1, 2] as [UInt16], [1, 2]) != nil)
  }
}
