// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The characters that stand for bytes in byte-level vocabularies.
enum ByteAlphabet {
  /// The character of each byte: the byte itself if it's visible, otherwise one from U+0100 on.
  static let scalars: [UInt32] = {
    var next: UInt32 = 256
    var scalars: [UInt32] = []
    for byte: UInt32 in 0..<256 {
      let isVisible = 33...126 ~= byte || 161...172 ~= byte || byte >= 174
      scalars.append(isVisible ? byte : next)
      if !isVisible { next += 1 }
    }
    return scalars
  }()

  /// The byte of a character, if there is one.
  static func byte(of scalar: UInt32) -> UInt8? {
    guard scalar < 512, bytes[Int(scalar)] >= 0 else { return nil }
    return UInt8(bytes[Int(scalar)])
  }

  /// The byte of each character below 512, or -1.
  private static let bytes: [Int16] = {
    var bytes: [Int16] = Array(repeating: -1, count: 512)
    for (byte, scalar) in scalars.enumerated() { bytes[Int(scalar)] = Int16(byte) }
    return bytes
  }()
}
