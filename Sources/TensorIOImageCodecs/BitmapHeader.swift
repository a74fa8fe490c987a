// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The headers of a BMP file, checked against the file's length.
struct BitmapHeader {
  var width: Int
  var height: Int
  var isTopDown: Bool
  var bitsPerPixel: Int
  /// The offset of the pixels in the file.
  var pixelOffset: Int
  /// The number of bytes from one stored row to the next.
  ///
  /// Rows are padded to 32-bit words.
  var bytesPerRow: Int
  /// The offset of the colour table; the next two properties are the number and size of its
  /// entries.
  var paletteOffset: Int
  var paletteCount: Int
  var paletteEntryBytes: Int
  /// The masks of red, green, blue and alpha, for images with 16 and 32 bits per pixel.
  var masks: [ChannelMask] = []

  /// The known sizes of the second header in bytes; the first one is OS/2's.
  private static let knownSizes = [12, 40, 52, 56, 64, 108, 124]

  /// Whether the size that the file's second header states is a known one.
  static func hasKnownSize(_ bytes: RawSpan) -> Bool {
    bytes.integer(UInt32.self, at: 14).map { knownSizes.contains(Int($0)) } ?? false
  }

  init(_ bytes: RawSpan, name: String, limits: ImageDecoder.Limits) throws {
    func damaged(_ what: String) -> TensorIOError {
      TensorIOError(.invalidImage, "\(name) is a BMP image, but it is damaged: \(what).")
    }
    func unsupported(_ what: String) -> TensorIOError {
      TensorIOError(
        .unsupportedImage, "\(name) is a BMP image of an unsupported kind: \(what).")
    }
    guard
      let offset = bytes.integer(UInt32.self, at: 10),
      let headerSize = bytes.integer(UInt32.self, at: 14).map({ Int($0) }),
      bytes.byteCount >= 14 + headerSize
    else { throw damaged("its header is cut off") }
    let isOld = headerSize == 12
    guard Self.knownSizes.contains(headerSize) else {
      throw unsupported("a header of \(headerSize) bytes")
    }
    let planesOffset = isOld ? 22 : 26
    guard let bits = bytes.integer(UInt16.self, at: planesOffset + 2) else {
      throw damaged("its header is cut off")
    }
    if isOld {
      width = Int(bytes.integer(UInt16.self, at: 18) ?? 0)
      height = Int(bytes.integer(UInt16.self, at: 20) ?? 0)
      isTopDown = false
    } else {
      width = Int(bytes.integer(Int32.self, at: 18) ?? 0)
      height = Int(bytes.integer(Int32.self, at: 22) ?? 0)
      isTopDown = height < 0
      height = abs(height)
    }
    bitsPerPixel = Int(bits)
    let compression = isOld ? 0 : bytes.integer(UInt32.self, at: 30) ?? 0
    switch compression {
    case 0: break
    case 1: throw unsupported("run-length encoding (RLE8)")
    case 2: throw unsupported("run-length encoding (RLE4)")
    case 3, 6:
      guard bitsPerPixel == 16 || bitsPerPixel == 32 else {
        throw damaged("bit fields with \(bitsPerPixel) bits per pixel")
      }
    case 4: throw unsupported("an embedded JPEG image")
    case 5: throw unsupported("an embedded PNG image")
    default: throw unsupported("compression \(compression)")
    }
    guard [1, 4, 8, 16, 24, 32].contains(bitsPerPixel) else {
      throw unsupported("\(bitsPerPixel) bits per pixel")
    }
    try limits.check(width: width, height: height, name: name)

    pixelOffset = Int(offset)
    bytesPerRow = (width * bitsPerPixel + 31) / 32 * 4
    paletteOffset = 14 + headerSize
    paletteEntryBytes = isOld ? 3 : 4
    let bitFieldsFollow = headerSize == 40 && (compression == 3 || compression == 6)
    paletteCount = 0
    if bitsPerPixel <= 8 {
      let stated = isOld ? 0 : Int(bytes.integer(UInt32.self, at: 46) ?? 0)
      let most = 1 << bitsPerPixel
      paletteCount = stated == 0 ? most : min(stated, most)
      // The pixels may start before the end of the table. Missing entries are black.
      let end = min(bytes.byteCount, max(pixelOffset, paletteOffset))
      paletteCount = min(paletteCount, (end - paletteOffset) / paletteEntryBytes)
      guard paletteCount > 0 else { throw damaged("it has no colour table") }
    }

    let last = pixelOffset + bytesPerRow * (height - 1) + (width * bitsPerPixel + 7) / 8
    guard pixelOffset >= 14 + headerSize, last <= bytes.byteCount else {
      throw damaged(
        "with the header, its pixels take \(last) bytes, but the file has \(bytes.byteCount)")
    }

    guard bitsPerPixel == 16 || bitsPerPixel == 32 else { return }
    var fields: [UInt32] =
      bitsPerPixel == 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff_0000, 0x00_ff00, 0x00_00ff, 0]
    if compression == 3 || compression == 6 {
      let hasAlpha = headerSize >= 56 || (bitFieldsFollow && compression == 6)
      for channel in 0..<(hasAlpha ? 4 : 3) {
        guard let mask = bytes.integer(UInt32.self, at: 54 + channel * 4) else {
          throw damaged("its bit fields are cut off")
        }
        fields[channel] = mask
      }
    }
    masks = try fields.map { field in
      guard let mask = ChannelMask(field, bitsPerPixel: bitsPerPixel) else {
        throw damaged("a bit field of 0x\(String(field, radix: 16))")
      }
      return mask
    }
    guard masks[0].maximum > 0 || masks[1].maximum > 0 || masks[2].maximum > 0 else {
      throw damaged("its bit fields are empty")
    }
  }
}

/// The position of a channel's bits in a pixel.
struct ChannelMask {
  let shift: UInt32
  /// The channel's largest value, or 0 when the channel has no bits.
  let maximum: UInt32

  /// Makes a mask, or nil unless the bits are contiguous and within the pixel.
  init?(_ mask: UInt32, bitsPerPixel: Int) {
    guard mask != 0 else {
      shift = 0
      maximum = 0
      return
    }
    shift = UInt32(mask.trailingZeroBitCount)
    maximum = mask >> shift
    guard maximum & (maximum &+ 1) == 0, bitsPerPixel == 32 || mask <= 0xffff else { return nil }
  }

  /// Returns the channel's value as 0...255, rounded down as in Pillow.
  func byte(of pixel: UInt32) -> UInt8 {
    guard maximum > 0 else { return 0 }
    let value = (pixel >> shift) & maximum
    return maximum == 255 ? UInt8(value) : UInt8(UInt64(value) * 255 / UInt64(maximum))
  }
}
