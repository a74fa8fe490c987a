// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

/// Places images of many sizes where Pillow, Ultralytics and TensorFlow place them.
///
/// The results are from `Tools/make_margins.py`.
@Suite struct ImageMarginTests {
  private struct Case: Decodable {
    var size: [Int]
    var target: [Int]
    var pillow: [Int]
    var ultralytics: [Int]
    /// Missing if TensorFlow refuses the image.
    var tensorflow: [Int]?

    func placement(_ rounding: ImageCrop.Rounding) -> [Int]? {
      switch rounding {
      case .pillow: pillow
      case .ultralytics: ultralytics
      case .tensorflow: tensorflow
      }
    }
  }

  @Test(arguments: ImageCrop.Rounding.allCases)
  func `a margin is where the library has it`(rounding: ImageCrop.Rounding) throws {
    let cases = try JSONDecoder().decode([Case].self, from: Fixtures.data("Resizing/margins.json"))
    #expect(cases.count == 280)
    for one in cases {
      guard let expected = one.placement(rounding) else { continue }
      let placement = ImagePlacement(
        of: (one.size[0], one.size[1]), in: (one.target[0], one.target[1]),
        by: ImageCrop(.pad, rounding: rounding))
      let found = [placement.x, placement.y, placement.width, placement.height]
      #expect(found == expected, "\(one.size) in \(one.target)")
    }
  }

  @Test(arguments: ImageCrop.Rounding.allCases)
  func `an image that is too thin for a pixel gets one`(rounding: ImageCrop.Rounding) {
    for size in [(width: 1, height: 40_000), (40_000, 1), (1, 1)] {
      let placement = ImagePlacement(
        of: size, in: (64, 96), by: ImageCrop(.pad, rounding: rounding))
      #expect(placement.width >= 1 && placement.height >= 1)
      #expect(placement.x >= 0 && placement.x + placement.width <= 64, "\(size)")
      #expect(placement.y >= 0 && placement.y + placement.height <= 96, "\(size)")
    }
  }

  @Test func `a part is never larger than a target that 32 bits round up`() {
    let placement = ImagePlacement(
      of: (1, 20_000_003), in: (1, 20_000_003), by: ImageCrop(.pad, rounding: .tensorflow))
    #expect(placement.height == 20_000_003 && placement.y == 0)
  }

  @Test func `model.json names the rounding`() {
    var reader = ManifestReader(isQuantized: false)
    let layer = reader.read(
      Self.layer(["mode": .string("pad"), "rounding": .string("ultralytics")]), .input,
      at: "inputs[0]")
    #expect(reader.issues.isEmpty)
    guard case .imageInput(_, let preprocessing)? = layer?.kind else {
      Issue.record("This isn't an image.")
      return
    }
    #expect(preprocessing.crop == ImageCrop(.pad, rounding: .ultralytics))
  }

  @Test func `a rounding needs a margin, and a name`() {
    for (mode, name, code) in [
      ("stretch", "tensorflow", BundleIssue.Code.misplacedKey), ("pad", "opencv", .unknownValue),
    ] {
      var reader = ManifestReader(isQuantized: false)
      _ = reader.read(
        Self.layer(["mode": .string(mode), "rounding": .string(name)]), .input, at: "inputs[0]")
      #expect(reader.issues.map(\.code) == [code])
      #expect(reader.issues.map(\.path) == ["inputs[0].crop.rounding"])
    }
  }

  private static func layer(_ crop: [String: JSONValue]) -> [String: JSONValue] {
    [
      "name": .string("image"), "type": .string("image"), "format": .string("RGB"),
      "shape": .array([.integer(8), .integer(8), .integer(3)]), "crop": .object(crop),
    ]
  }
}
