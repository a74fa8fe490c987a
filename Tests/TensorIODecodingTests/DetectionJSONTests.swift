// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import TensorIODecoding

@Suite struct DetectionJSONTests {
  private static let mask = ObjectMask(
    x: 3, y: 4, width: 3, height: 2, pixels: [false, true, true, false, true, false])

  private static let object = Detection(
    classIndex: 2, label: "cat", score: 0.3, box: Box(x: 3.5, y: 4, width: 3, height: 2),
    angle: 0.25, keypoints: [Keypoint(name: "nose", x: 4, y: 5.5)], mask: mask)

  private static func json(_ object: Detection) throws -> JSONValue {
    guard case .array(let elements) = DecodedValue.objects([object]).json() else {
      throw TensorIOError(.wrongKind, "Objects are an array.")
    }
    return elements[0]
  }

  @Test func `an object that was written is read`() throws {
    #expect(try Detection(json: Self.json(Self.object)) == Self.object)
    let plain = Detection(
      classIndex: 0, label: "", score: 0.25, box: Box(x: 0, y: 0, width: 1, height: 1))
    #expect(try Detection(json: Self.json(plain)) == plain)
  }

  @Test func `values without a box aren't objects`() {
    for value in [JSONValue.null, .number(1), .object(["label": .string("cat")]), .array([])] {
      #expect(Detection(json: value) == nil)
    }
  }

  /// Reports come from anywhere, and drawing a mask must not overflow.
  @Test(
    arguments: [
      ["runs": .array([.number(-1), .number(2)])], ["runs": .array([.number(4), .number(3)])],
      ["runs": .array([.number(0.5)])], ["runs": .array([.number(1e300)])],
      ["width": .number(9e18), "height": .number(9e18)], ["x": .number(-9e18)],
      ["y": .number(.nan)],
      ["runs": .string("1 2")], ["height": .null],
    ] as [[String: JSONValue]])
  func `an impossible mask is left out`(changes: [String: JSONValue]) throws {
    guard case .object(var members) = try Self.json(Self.object),
      case .object(let mask)? = members["mask"]
    else { throw TensorIOError(.wrongKind, "An object has a mask.") }
    members["mask"] = .object(mask.merging(changes) { _, new in new })
    let read = try #require(Detection(json: .object(members)))
    #expect(read.mask == nil && read.box == Self.object.box)
  }

  @Test func `numbers that aren't finite are 0`() throws {
    let box: JSONValue = .object(["x": .number(.infinity), "y": .string("3"), "width": .number(2)])
    let read = try #require(Detection(json: .object(["box": box, "score": .number(.nan)])))
    #expect(read.box == Box(x: 0, y: 0, width: 2, height: 0) && read.score == 0)
  }
}
