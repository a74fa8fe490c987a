// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The format of a file, as its first bytes indicate.
///
/// The raw values are the formats' names in messages.
enum FileFormat: String, Sendable {
  case jpeg = "a JPEG image"
  case png = "a PNG image"
  case webp = "a WebP image"
  case bmp = "a BMP image"
  case gif = "a GIF image"
  case tiff = "a TIFF image"
  case heif = "a HEIF image"
  case avif = "an AVIF image"
  case jpegXL = "a JPEG XL image"
  case jpeg2000 = "a JPEG 2000 image"
  case pdf = "a PDF document"
  case svg = "an SVG drawing"
  case empty = "empty"
  case unknown = "of an unknown format"

  init(of bytes: RawSpan) {
    self =
      switch true {
      case bytes.isEmpty: .empty
      case bytes.starts(with: [0xff, 0xd8, 0xff]): .jpeg
      case bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]): .png
      case bytes.hasText("RIFF", at: 0) && bytes.hasText("WEBP", at: 8): .webp
      case bytes.hasText("BM", at: 0): .bmp
      case bytes.hasText("GIF8", at: 0): .gif
      case bytes.starts(with: [0x49, 0x49, 0x2a, 0]), bytes.starts(with: [0x4d, 0x4d, 0, 0x2a]):
        .tiff
      case bytes.hasText("ftypavi", at: 4): .avif
      case bytes.hasText("ftyphei", at: 4), bytes.hasText("ftypmif1", at: 4): .heif
      case bytes.starts(with: [0xff, 0x0a]), bytes.hasText("JXL ", at: 4): .jpegXL
      case bytes.hasText("jP  ", at: 4): .jpeg2000
      case bytes.hasText("%PDF", at: 0): .pdf
      case bytes.hasText("<svg", at: 0): .svg
      default: .unknown
      }
  }
}

/// Reads numbers from untrusted files.
///
/// None of these methods can trap.
extension RawSpan {
  /// Returns the integer at an offset, or nil when it extends beyond the bytes.
  func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type, at offset: Int, bigEndian: Bool = false
  ) -> Integer? {
    guard offset >= 0, byteCount - offset >= MemoryLayout<Integer>.size else { return nil }
    let stored = unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    return bigEndian ? Integer(bigEndian: stored) : Integer(littleEndian: stored)
  }

  func hasText(_ text: StaticString, at offset: Int) -> Bool {
    guard offset >= 0, byteCount - offset >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for index in 0..<text.count {
        guard integer(UInt8.self, at: offset + index) == text[index] else { return false }
      }
      return true
    }
  }

  func starts(with bytes: [UInt8]) -> Bool {
    for index in bytes.indices {
      guard integer(UInt8.self, at: index) == bytes[index] else { return false }
    }
    return true
  }
}
