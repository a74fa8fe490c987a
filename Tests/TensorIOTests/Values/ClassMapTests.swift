// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct ClassMapTests {
  private func spec(
    _ dataType: DataType = .float32, width: Int = 2, height: Int = 1, depth: Int,
    layout: ImageShape.Layout = .channelsLast, labels: [String]? = nil,
    stored: StoredQuantization? = nil
  ) -> TensorSpec {
    let shape = ClassMapShape(height: height, width: width, depth: depth, layout: layout)
    return TensorSpec(
      name: "map", shape: shape.axes, dataType: dataType,
      kind: .classMap(shape, labels: labels.map { Labels($0) }), storedQuantization: stored)
  }

  // MARK: - Scores

  @Test func `the highest score wins, and the first one wins ties`() throws {
    let scores: [Float] = [0.1, 0.7, 0.2, -1, -1, -3, 2, 2, 5, 0, 0, 0]
    let map = try ClassMap.decoded(scores, as: spec(width: 2, height: 2, depth: 3))
    #expect(map.width == 2 && map.height == 2)
    #expect(map.classes == [1, 0, 2, 0])
    #expect(map[0, 1] == 2 && map[1, 0] == 0)
    #expect(map.labels == nil)
  }

  @Test func `scores in planes give the same class map`() throws {
    let pixels: [[Float]] = [[0.1, 0.7, 0.2], [-1, -1, -3], [2, 2, 5], [0, 0, 0]]
    let planes = (0..<3).flatMap { index in pixels.map { $0[index] } }
    let map = try ClassMap.decoded(
      planes, as: spec(width: 2, height: 2, depth: 3, layout: .channelsFirst))
    #expect(map.classes == [1, 0, 2, 0])
  }

  @Test(arguments: ImageShape.Layout.allCases)
  func `a NaN never wins`(_ layout: ImageShape.Layout) throws {
    for (scores, winner) in [
      ([Float.nan, -2, -1], 2), ([0, .nan, 1], 2), ([1, 0, .nan], 0), ([.nan, .nan, .nan], 0),
      ([-.infinity, .nan, -.infinity], 0), ([.nan, -.infinity, .nan], 1),
    ] as [([Float], UInt16)] {
      let map = try ClassMap.decoded(scores, as: spec(width: 1, depth: 3, layout: layout))
      #expect(map.classes == [winner], "\(scores)")
    }
  }

  @Test func `scores can be numbers of any type`() throws {
    let last = spec(depth: 3).shape
    #expect(last == [1, 2, 3])
    let scores = [3, 1, 2, 0, 1, 5]
    func classes<Number: BitwiseCopyable>(_ values: [Number], _ type: DataType) throws -> [UInt16] {
      try ClassMap.decoded(values, as: spec(type, depth: 3)).classes
    }
    #expect(try classes(scores.map { Float16($0) }, .float16) == [0, 2])
    #expect(try classes(scores.map(Double.init), .float64) == [0, 2])
    #expect(try classes(scores.map(UInt8.init), .uint8) == [0, 2])
    #expect(try classes(scores.map { Int8($0 - 4) }, .int8) == [0, 2])
    #expect(try classes(scores.map(UInt16.init), .uint16) == [0, 2])
    #expect(try classes(scores.map { Int16($0 - 4) }, .int16) == [0, 2])
    #expect(try classes(scores.map(UInt32.init), .uint32) == [0, 2])
    #expect(try classes(scores.map { Int32($0 - 4) }, .int32) == [0, 2])
    #expect(try classes(scores.map { Int64($0 - 4) }, .int64) == [0, 2])
  }

  @Test func `classes with their own scales are compared by their dequantized scores`() throws {
    let stored = StoredQuantization(scales: [0.1, 10], zeroPoints: [0, 0], axis: 2)
    let map = try ClassMap.decoded(
      [100, 2, 127, 1] as [Int8], as: spec(.int8, depth: 2, stored: stored))
    #expect(map.classes == [1, 0])
    let one = StoredQuantization(scales: [0.5], zeroPoints: [3])
    #expect(
      try ClassMap.decoded([100, 2, 1, 127] as [Int8], as: spec(.int8, depth: 2, stored: one))
        .classes == [0, 1])
  }

  // MARK: - Class numbers

  @Test func `class numbers are kept unchanged`() throws {
    #expect(
      try ClassMap.decoded([7, 255] as [UInt8], as: spec(.uint8, depth: 1)).classes == [7, 255])
    #expect(
      try ClassMap.decoded([0, 65535] as [Int64], as: spec(.int64, depth: 1)).classes == [0, 65535])
    #expect(try ClassMap.decoded([3, 20] as [Float], as: spec(depth: 1)).classes == [3, 20])
    #expect(try ClassMap.decoded([0, 1] as [UInt8], as: spec(.bool, depth: 1)).classes == [0, 1])
    let first = spec(.int32, depth: 1, layout: .channelsFirst)
    #expect(try ClassMap.decoded([4, 5] as [Int32], as: first).classes == [4, 5])
  }

  @Test func `for an invalid class number, the error names its pixel`() throws {
    let odd = #expect(throws: TensorIOError.self) {
      try ClassMap.decoded([1, 2, 3, 0.5] as [Float], as: spec(width: 2, height: 2, depth: 1))
    }
    #expect(odd?.code == .wrongOutputType)
    #expect(
      odd?.message
        == "'map' holds 0.5 for the pixel at column 1, row 1, which isn't a class. Class numbers "
        + "are whole numbers from 0 to 65535. If these are scores, read the output as an array.")
    for values in [[0, -1], [65536, 0]] as [[Int64]] {
      #expect(throws: TensorIOError.self) {
        try ClassMap.decoded(values, as: spec(.int64, depth: 1))
      }
    }
    #expect(throws: TensorIOError.self) {
      try ClassMap.decoded([Float.nan, 0], as: spec(depth: 1))
    }
  }

  @Test func `a tensor of a wrong size is an error that names both sizes`() {
    let error = #expect(throws: TensorIOError.self) {
      try ClassMap.decoded([1, 2, 3] as [Float], as: spec(depth: 3))
    }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == "'map' takes 24 bytes (shape [1, 2, 3]), but the tensor has 12.")
  }

  @Test func `a class map can be read as integers or a ClassMap, but not as other types`() throws {
    let layer = spec(.int32, depth: 1, labels: ["a", "b"])
    #expect(layer.labels?.names == ["a", "b"])
    let values: [Int32] = [0, 1]
    #expect(try [Int].decoded(values, as: layer) == [0, 1])
    guard case .classMap(let map) = try TensorValue.decoded(values, as: layer) else {
      Issue.record("no class map")
      return
    }
    #expect(map.classes == [0, 1])
    let image = #expect(throws: TensorIOError.self) { try PixelBuffer.decoded(values, as: layer) }
    #expect(image?.message.contains("read it as ClassMap") == true)
    let labels = #expect(throws: TensorIOError.self) {
      try Classification.decoded(values, as: layer)
    }
    #expect(labels?.message.contains("it is a class map") == true)
    let other = #expect(throws: TensorIOError.self) {
      try ClassMap.decoded(values, as: .numbers(.int32, [2]))
    }
    #expect(other?.message.contains("as an image of CLASSES") == true)
  }

  // MARK: - Colours and legend

  /// From the table of the Pascal VOC development kit, and two more numbers.
  private static let colors: [(index: UInt16, color: [UInt8])] = [
    (0, [0, 0, 0]), (1, [128, 0, 0]), (2, [0, 128, 0]), (3, [128, 128, 0]), (4, [0, 0, 128]),
    (5, [128, 0, 128]), (6, [0, 128, 128]), (7, [128, 128, 128]), (8, [64, 0, 0]),
    (9, [192, 0, 0]), (15, [192, 128, 128]), (19, [128, 192, 0]), (20, [0, 64, 128]),
    (255, [224, 224, 192]), (256, [0, 0, 32]), (65535, [252, 248, 248]),
  ]

  @Test(arguments: colors)
  func `colours equal those of Pascal VOC`(index: UInt16, color: [UInt8]) {
    let wanted = PixelColor(red: color[0], green: color[1], blue: color[2])
    #expect(ClassMap.color(of: index) == wanted)
  }

  @Test func `the colours of all classes are different`() {
    #expect(Set((0...UInt16.max).map(ClassMap.color(of:))).count == 65536)
  }

  @Test func `the legend lists the classes that occur, largest first`() {
    let map = ClassMap(
      width: 4, height: 2, classes: [2, 2, 9, 0, 2, 0, 9, 2], labels: Labels(["sky", "sea", "cat"]))
    let legend = map.legend
    #expect(legend.map(\.index) == [2, 0, 9])
    #expect(legend.map(\.label) == ["cat", "sky", nil])
    #expect(legend.map(\.share) == [0.5, 0.25, 0.25])
    #expect(legend.map(\.color) == [2, 0, 9].map(ClassMap.color(of:)))
    #expect(ClassMap(width: 1, height: 1, classes: [1]).legend.map(\.label) == [nil])
  }

  @Test func `the image has the classes' colours`() {
    let image = ClassMap(width: 3, height: 1, classes: [0, 1, 15]).image()
    #expect(image.format == .rgb && image.width == 3 && image.height == 1)
    #expect(image.bytes == [0, 0, 0, 128, 0, 0, 192, 128, 128])
  }
}
