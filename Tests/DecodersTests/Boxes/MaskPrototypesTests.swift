// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct MaskPrototypesTests {
  private func mask(
    _ box: DecodedBox, coefficients: [Float] = [1], size: (Int, Int)? = nil,
    extent: (Float, Float) = (4, 4)
  ) throws -> InstanceMask {
    // Columns 1 and 2 of a grid with 4 x 4 cells belong to the object.
    let values = (0..<16).map { Float([-1, 1, 1, -1][$0 % 4]) }
    let prototypes = try MaskPrototypes(shape: [4, 4, 1], count: 1)
    return try prototypes.mask(
      of: box, coefficients: coefficients, extent: extent, size: size, in: values.span)
  }

  private let whole = DecodedBox(left: 0, top: 0, right: 4, bottom: 4)

  @Test(
    arguments: [
      ([1, 32, 160, 120], 32, true), ([1, 160, 120, 32], 32, false), ([32, 32, 32], 32, false),
      ([32, 160, 160], nil, true), ([160, 160, 32], nil, false), ([8, 8, 8], nil, false),
      ([1, 1, 160, 160], 1, true),
    ] as [([Int], Int?, Bool)])
  func `the shape tells where the prototypes are`(shape: [Int], count: Int?, isFirst: Bool) throws {
    #expect(try MaskPrototypes(shape: shape, count: count).isChannelsFirst == isFirst)
  }

  @Test(
    arguments: [
      ([32, 160, 120], nil), ([160, 120, 32], nil), ([160, 160, 32], 16), ([160, 160], 32),
      ([0, 160, 160], nil), ([-1, 160, 160], nil), ([Int.max, Int.max, 32], 32), ([2, 3, 4, 5], 5),
      ([], nil),
    ] as [([Int], Int?)])
  func `a shape that isn't clear is an error`(shape: [Int], count: Int?) {
    #expect(throws: DecodingError.self) { try MaskPrototypes(shape: shape, count: count) }
  }

  @Test func `cells above 0 belong to the object`() throws {
    let mask = try mask(DecodedBox(left: 0, top: 1, right: 2, bottom: 3))
    #expect([mask.left, mask.top, mask.width, mask.height] == [0, 1, 2, 2])
    #expect(mask.cells == [0, 1, 0, 1])
    let other = try self.mask(whole, coefficients: [-1])
    #expect(other.cells == (0..<4).flatMap { _ in [1, 0, 0, 1] as [UInt8] })
  }

  @Test func `enlarged masks are interpolated between the cells' centers`() throws {
    let mask = try mask(whole, size: (16, 4))
    // Values change from -1 to 1 between the centers at 0.5 and 1.5.
    #expect(mask.cells[..<16] == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0])
    #expect(mask.width == 16)
  }

  @Test func `edges are rounded to even cells`() throws {
    let mask = try mask(DecodedBox(left: 0.5, top: 1.5, right: 2.5, bottom: 3.4))
    #expect([mask.left, mask.top, mask.width, mask.height] == [0, 2, 2, 1])
  }

  @Test(arguments: [
    DecodedBox(left: -5, top: -5, right: 0, bottom: 0),
    DecodedBox(left: 9, top: 9, right: 20, bottom: 20),
    DecodedBox(left: 1, top: 1, right: 1, bottom: 2),
    DecodedBox(left: .nan, top: .nan, right: .nan, bottom: .nan),
  ])
  func `a box without cells has an empty mask`(box: DecodedBox) throws {
    #expect(try mask(box).cells.isEmpty)
  }

  @Test(arguments: [Float.nan, .infinity, .greatestFiniteMagnitude])
  func `broken numbers don't crash`(value: Float) throws {
    let box = DecodedBox(left: -value, top: 0, right: value, bottom: 4)
    #expect(try mask(box).cells.count == (value.isNaN ? 0 : 16))
    #expect(try mask(whole, coefficients: [value], size: (7, 9)).cells.count == 63)
  }

  @Test func `other sizes are errors`() throws {
    #expect(throws: DecodingError.self) { try mask(whole, coefficients: [1, 2]) }
    #expect(throws: DecodingError.self) { try mask(whole, size: (0, 4)) }
    #expect(throws: DecodingError.self) { try mask(whole, size: (.max, .max)) }
    #expect(throws: DecodingError.self) { try mask(whole, size: (65_536, 65_536)) }
    for extent in [0, -1, .nan, .infinity] as [Float] {
      #expect(throws: DecodingError.self) { try mask(whole, extent: (extent, 4)) }
      #expect(throws: DecodingError.self) { try mask(whole, extent: (4, extent)) }
    }
    let prototypes = try MaskPrototypes(shape: [4, 4, 1], count: 1)
    let few: [Float] = [0]
    #expect(throws: DecodingError.self) {
      try prototypes.mask(of: whole, coefficients: [1], extent: (4, 4), in: few.span)
    }
  }
}
