// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Reads the pixels of BMP pictures: 1, 4 and 8 bits with a colour table, 16, 24 and 32 bits, from
/// the bottom up or from the top down.
///
/// The result is RGB, or RGBA when bit fields name an alpha channel.
struct BitmapReader {
  private let header: BitmapHeader

  init(_ header: BitmapHeader) {
    self.header = header
  }

  /// The picture; `bytes` are those that the header was checked against.
  func read(_ bytes: RawSpan) -> PixelBuffer {
    let hasAlpha = header.masks.count == 4 && header.masks[3].maximum > 0
    return PixelBuffer(
      fillingWidth: header.width, height: header.height, format: hasAlpha ? .rgba : .rgb
    ) { pixels in
      bytes.withUnsafeBytes { bytes in
        pixels.withUnsafeMutableBytes { pixels in
          let palette = palette(bytes)
          let rowBytes = header.width * (hasAlpha ? 4 : 3)
          for row in 0..<header.height {
            let stored = header.isTopDown ? row : header.height - 1 - row
            let start = header.pixelOffset + stored * header.bytesPerRow
            let source = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let target = UnsafeMutableRawBufferPointer(
              rebasing: pixels[row * rowBytes..<(row + 1) * rowBytes])
            switch header.bitsPerPixel {
            case 24: readTrueColor(source, into: target)
            case 16, 32: readFields(source, hasAlpha: hasAlpha, into: target)
            default: readIndices(source, palette: palette, into: target)
            }
          }
        }
      }
    }
  }

  private func readTrueColor(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) {
    for offset in stride(from: 0, to: header.width * 3, by: 3) {
      target[offset] = source[offset + 2]
      target[offset + 1] = source[offset + 1]
      target[offset + 2] = source[offset]
    }
  }

  private func readFields(
    _ source: UnsafeRawBufferPointer, hasAlpha: Bool, into target: UnsafeMutableRawBufferPointer
  ) {
    let (red, green, blue) = (header.masks[0], header.masks[1], header.masks[2])
    let alpha = header.masks[3]
    let size = header.bitsPerPixel / 8
    var written = 0
    for x in 0..<header.width {
      let pixel =
        size == 2
        ? UInt32(UInt16(littleEndian: source.loadUnaligned(fromByteOffset: x * 2, as: UInt16.self)))
        : UInt32(littleEndian: source.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self))
      target[written] = red.byte(of: pixel)
      target[written + 1] = green.byte(of: pixel)
      target[written + 2] = blue.byte(of: pixel)
      written += 3
      if hasAlpha {
        target[written] = alpha.byte(of: pixel)
        written += 1
      }
    }
  }

  private func readIndices(
    _ source: UnsafeRawBufferPointer, palette: [UInt8], into target: UnsafeMutableRawBufferPointer
  ) {
    let bits = header.bitsPerPixel
    let mask = (1 << bits) - 1
    for x in 0..<header.width {
      let bit = x * bits
      let index = (Int(source[bit / 8]) >> (8 - bits - bit % 8)) & mask
      for channel in 0..<3 {
        target[x * 3 + channel] = palette[index * 3 + channel]
      }
    }
  }

  /// 256 colours as RGB; those that the file does not have are black.
  private func palette(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var colors = [UInt8](repeating: 0, count: 256 * 3)
    for index in 0..<header.paletteCount {
      let entry = header.paletteOffset + index * header.paletteEntryBytes
      for channel in 0..<3 {
        colors[index * 3 + channel] = bytes[entry + 2 - channel]
      }
    }
    return colors
  }
}
