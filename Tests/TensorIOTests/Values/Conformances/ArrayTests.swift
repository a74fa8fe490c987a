// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct ArrayTests {
  @Test func `nested arrays are written in row-major order`() throws {
    let cube = [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]
    for dataType in [DataType.int64, .float32, .uint8] {
      let spec = TensorSpec.numbers(dataType, [3, 2, 2])
      #expect(try [Int].decoded(cube.encoded(as: spec), as: spec) == Array(1...12))
    }
  }

  @Test(arguments: [[12], [3, 4], [-1, 12], [1, 1, 12], [2, 2, 3]])
  func `only the number of elements has to match the layer's`(_ shape: [Int]) throws {
    let spec = TensorSpec.numbers(.int32, shape)
    let nested = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    #expect(try nested.encoded(as: spec, of: Int32.self) == Array(1...12))
    #expect(try Array(1...12).encoded(as: spec, of: Int32.self) == Array(1...12))
  }

  struct Wrong: Sendable {
    let value: any TensorEncodable
    let message: String
  }

  @Test(arguments: [
    Wrong(value: [Float](), message: "'x' takes 6 values (shape [2, 3]), got 0."),
    Wrong(value: [[Float]](), message: "'x' takes 6 values (shape [2, 3]), got 0."),
    Wrong(value: [[Float](), []], message: "'x' takes 6 values (shape [2, 3]), got 0."),
    Wrong(value: [1, 2, 3, 4, 5], message: "'x' takes 6 values (shape [2, 3]), got 5."),
    Wrong(value: [1, 2, 3, 4, 5, 6, 7], message: "'x' takes 6 values (shape [2, 3]), got 7."),
    Wrong(
      value: [1, 2, 3, 4, 5] as [Float], message: "'x' takes 6 values (shape [2, 3]), got 5."),
    Wrong(value: [[1, 2, 3], [4, 5]], message: "'x' takes 6 values (shape [2, 3]), got 5."),
    Wrong(value: 1, message: "'x' takes 6 values (shape [2, 3]), got 1."),
    Wrong(
      value: TensorValue.list([.number(.integer(1)), .number(.double(2))]),
      message: "'x' takes 6 values (shape [2, 3]), got 2."),
  ])
  func `too few or too many elements are an error that names both counts`(_ wrong: Wrong) {
    let error = #expect(throws: TensorIOError.self) {
      try wrong.value.encoded(as: .numbers(.float32, [2, 3]))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == wrong.message)
  }

  static let ragged: [any TensorEncodable] = [
    [[1, 2], [3, 4, 5, 6]], [[1, 2, 3, 4], [5, 6]], [[1], [2, 3], [4, 5, 6]],
    [[1, 2], [3], [4, 5], [6]], [[1, 2, 3], [4, 5, 6], []], [[[1], [2, 3]], [[4, 5], [6]]],
    [[1, 2], [3, 4, 5, 6]] as [[Float]],
    TensorValue.list([
      .number(.integer(1)), .list((2...6).map { .number(.integer(Int64($0))) }),
    ]),
  ]

  @Test(arguments: ragged.indices)
  func `rows of different lengths are rejected, even if their total fits`(_ index: Int) {
    for quantization in [nil, Quantization.zeroToOne] {
      let dataType = quantization == nil ? DataType.float32 : .uint8
      let error = #expect(throws: TensorIOError.self) {
        try Self.ragged[index].encoded(as: .numbers(dataType, [2, 3], quantization))
      }
      #expect(error?.code == .wrongElementCount)
      #expect(error?.message.contains("nested arrays of equal lengths (shape [2, 3])") == true)
    }
  }

  @Test func `an error in a nested array gives the index in the whole tensor`() {
    let error = #expect(throws: TensorIOError.self) {
      try [[1, 2, 3], [4, 500, 6]].encoded(as: .numbers(.uint8, [2, 3]))
    }
    #expect(
      error?.message == "'x' at index 4 takes uint8 values, got 500: it is not between 0 and 255.")
    let list = #expect(throws: TensorIOError.self) {
      try TensorValue.numbers([.integer(1), .double(2), .float(0.5)])
        .encoded(as: .numbers(.int32, [3]))
    }
    #expect(list?.message.hasPrefix("'x' at index 2 takes int32 values, got 0.5") == true)
  }

  static let numbers: [any TensorEncodable] = [
    1, 1.5, [Float](repeating: 0, count: 12), [Double](repeating: 0, count: 12), [1, 2],
    [[1, 2], [3, 4]], TensorValue.number(.integer(1)), TensorValue.numbers([.integer(1)]),
  ]

  @Test(arguments: numbers.indices)
  func `numbers can't be encoded as an image, whatever their count`(_ index: Int) {
    let error = #expect(throws: TensorIOError.self) {
      try Self.numbers[index].encoded(as: .image())
    }
    #expect(error?.code == .wrongKind)
    #expect(error?.message.hasPrefix("'x' takes an image, got a") == true)
  }

  @Test func `an image can't be encoded as an array`() {
    let image = PixelBuffer(width: 1, height: 1, format: .gray, bytes: [7])
    for value in [image, TensorValue.image(image)] as [any TensorEncodable] {
      let error = #expect(throws: TensorIOError.self) {
        try value.encoded(as: .numbers(.float32, [1]))
      }
      #expect(error?.code == .wrongKind)
      #expect(error?.message == "'x' takes float32 values, got an image.")
    }
  }

  @Test func `strings are counted on all levels of nested arrays`() throws {
    let spec = TensorSpec.bytes(.string, [4])
    #expect(
      try [["a", "b"], ["c", ""]].tensorStrings(for: spec)
        == [Data("a".utf8), Data("b".utf8), Data("c".utf8), Data()])
    let error = #expect(throws: TensorIOError.self) { try [1, 2].tensorStrings(for: spec) }
    #expect(error?.message == "'x' takes text, got a number.")
  }

  @Test func `a program's own type writes its elements`() throws {
    struct House: TensorEncodable {
      var area: Float
      var rooms: Float
      var tensorElementCount: Int? { 2 }
      func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
        try [area, rooms].encode(into: &memory, as: spec)
      }
    }
    let houses = [House(area: 80, rooms: 3), House(area: 120, rooms: 5)]
    let spec = TensorSpec.numbers(.float64, [2, 2])
    #expect(try houses.encoded(as: spec, of: Double.self) == [80, 3, 120, 5])
    let error = #expect(throws: TensorIOError.self) {
      try houses.encoded(as: .numbers(.float32, [3]))
    }
    #expect(error?.message == "'x' takes 3 values (shape [3]), got 4.")
    let index = #expect(throws: TensorIOError.self) {
      try [House(area: 80, rooms: 3), House(area: 120, rooms: 0.5)]
        .encoded(as: .numbers(.int32, [4]))
    }
    #expect(index?.message.hasPrefix("'x' at index 3 ") == true)
  }

  @Test func `flat arrays can be decoded, nested ones can't`() throws {
    let spec = TensorSpec.numbers(.float32, [2, 2])
    let elements: [Float] = [1, 2, 3, 4]
    #expect(try [Double].decoded(elements, as: spec) == [1, 2, 3, 4])
    #expect(throws: TensorIOError.self) { try [[Float]].decoded(elements, as: spec) }
  }
}
