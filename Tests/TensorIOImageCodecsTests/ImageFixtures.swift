// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TensorIO

/// The images that `Tools/make_image_fixtures.py` made, and how Pillow decodes them.
struct ImageFixtures {
  /// An image that must decode to pixels of `channels` bytes each.
  struct Decoding: Decodable, Sendable, CustomStringConvertible {
    var file: String
    var width: Int
    var height: Int
    var channels: Int
    var tolerance: Int
    var offset: Int

    var description: String { file }
  }

  /// An image that mustn't decode.
  struct Failure: Decodable, Sendable, CustomStringConvertible {
    var file: String
    var code: String
    var words: String

    var description: String { file }
  }

  static let folder =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    + "/Fixtures/Images/"

  static let decodings: [Decoding] = table("decoding")
  static let failures: [Failure] = table("failures")
  static let pixels = bytes("pixels.bin")

  static func bytes(_ file: String) -> [UInt8] {
    guard let data = try? Data(contentsOf: URL(filePath: folder + file)) else {
      fatalError("\(folder + file) cannot be read.")
    }
    return [UInt8](data)
  }

  static func pixels(of image: Decoding) -> [UInt8] {
    let count = image.width * image.height * image.channels
    return Array(pixels[image.offset..<image.offset + count])
  }

  private static func table<Row: Decodable>(_ name: String) -> [Row] {
    guard
      let rows = try? JSONDecoder().decode([Row].self, from: Data(bytes("\(name).json")))
    else { fatalError("\(name).json cannot be decoded.") }
    return rows
  }
}

extension PixelBuffer {
  /// All bytes of the pixels.
  var bytes: [UInt8] {
    withBytes { span in span.withUnsafeBytes { Array($0) } }
  }
}
