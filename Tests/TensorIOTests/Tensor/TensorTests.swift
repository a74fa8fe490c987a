// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct TensorTests {
  @Test func `a tensor has numbers and a shape`() throws {
    let tensor = try Tensor([1, 2, 3, 4, 5, 6] as [Int16], shape: [2, 3])
    #expect(tensor.shape == [2, 3])
    #expect(tensor.dataType == .int16)
    #expect(try tensor.numbers(as: Int16.self) == [1, 2, 3, 4, 5, 6])
    #expect(try tensor.numbers(as: Double.self) == [1, 2, 3, 4, 5, 6])
    #expect(try Tensor([1.5, 2]).shape == [2])
    #expect(try Tensor([7] as [Float], shape: []).shape == [])
  }

  @Test func `a shape with a different element count is rejected`() {
    let error = #expect(throws: TensorIOError.self) {
      try Tensor([1, 2, 3] as [Float], shape: [2])
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == "A float32 tensor of shape [2] has 8 bytes, got 12.")
    #expect(throws: TensorIOError.self) { try Tensor([1] as [Float], shape: [-1]) }
  }

  @Test func `types that tensors don't support are rejected`() {
    let error = #expect(throws: TensorIOError.self) { try Tensor([1] as [UInt64]) }
    #expect(error?.message == "A tensor can't hold elements of type UInt64.")
  }

  @Test func `a tensor is encoded only as its own data type, without quantization`() throws {
    let tensor = try Tensor([1, 2] as [UInt8])
    #expect(try tensor.encoded(as: .numbers(.uint8, [2], .zeroToOne)) == Data([1, 2]))
    #expect(try tensor.encoded(as: .numbers(.uint8, [1, 2])) == Data([1, 2]))
    let kind = #expect(throws: TensorIOError.self) { try tensor.encoded(as: .numbers(.int8, [2])) }
    #expect(kind?.code == .wrongKind)
    #expect(kind?.message == "'x' takes int8 values, got a tensor of uint8.")
    let count = #expect(throws: TensorIOError.self) {
      try tensor.encoded(as: .numbers(.uint8, [3]))
    }
    #expect(count?.message == "'x' takes 3 values (shape [3]), got 2.")
  }

  @Test func `a tensor is encoded unchanged in an image layer`() throws {
    let tensor = try Tensor([Float](repeating: 0.5, count: 12), shape: [2, 2, 3])
    #expect(try tensor.encoded(as: .image(), of: Float.self) == [Float](repeating: 0.5, count: 12))
  }

  @Test func `an output read as a tensor has the layer's shape and raw elements`() throws {
    let spec = TensorSpec.numbers(.uint8, [-1, 1, 2], .toZeroToOne)
    let tensor = try Tensor.decoded([0, 255] as [UInt8], as: spec)
    #expect(try tensor == Tensor([0, 255] as [UInt8], shape: [1, 2]))
    #expect(throws: TensorIOError.self) {
      try Tensor.decode(strings: [Data()], as: .bytes(.string, [1]))
    }
  }

  @Test func `tensors are equal if their shapes, types and bytes are equal`() throws {
    let tensor = try Tensor([0, 1] as [Float])
    #expect(try tensor == Tensor([0, 1] as [Float]))
    #expect(try tensor != Tensor([0, 2] as [Float]))
    #expect(try tensor != Tensor([0, 1] as [Float], shape: [2, 1]))
    #expect(try tensor != Tensor([0, 0x3F80_0000] as [Int32]))
  }

  @Test func `impossible shapes are rejected without a crash`() throws {
    #expect(try Tensor([Float](), shape: [0]).shape == [0])
    #expect(throws: TensorIOError.self) { try Tensor([1] as [Float], shape: [.max, 2]) }
    #expect(throws: TensorIOError.self) { try Tensor([1] as [Float], shape: [-1, -1]) }
  }
}
