// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Reads the pixels of BMP images.
///
/// It supports 1, 4 and 8 bits per pixel with a colour table, and 16, 24 and 32 bits, with rows
/// stored from the bottom up or from the top down. The result is RGB, or RGBA when the bit fields
/// have an alpha channel. Rows are converted directly from the file's bytes.
final class BitmapReader: FormatDecoder, RowSource {
  let width: Int
  let height: Int
  let hasAlpha: Bool

  private let header: BitmapHeader
  private let bytes: UnsafeRawBufferPointer
  private let palette: [UInt8]
  private var region: PixelCrop
  private var next = 0
  /// A buffer for a row with some slack after it, which the first request for a row creates.
  private var row: UnsafeMutablePointer<UInt8>?

  /// Makes a reader.
  ///
  /// `bytes` must be the ones that the header was checked against.
  init(_ header: BitmapHeader, bytes: UnsafeRawBufferPointer) {
    self.header = header
    self.bytes = bytes
    width = header.width
    height = header.height
    hasAlpha = header.masks.count == 4 && header.masks[3].maximum > 0
    palette = header.palette(bytes)
    region = PixelCrop(width: width, height: height)
  }

  func start(
    _ region: PixelCrop, options: DecodeOptions, canvas: UnsafeMutableRawBufferPointer?
  ) throws -> any RowSource {
    self.region = region
    return self
  }

  func row(skipping count: Int) throws -> UnsafePointer<UInt8> {
    next += count
    let row = row ?? makeRow()
    try readRow(into: row)
    return UnsafePointer(row)
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws {
    let row = region.y + next
    next += 1
    let stored = header.isTopDown ? row : header.height - 1 - row
    let start = header.pixelOffset + stored * header.bytesPerRow
    let source = UnsafeRawBufferPointer(rebasing: bytes[start...])
    switch header.bitsPerPixel {
    case 24: readTrueColor(source, into: target)
    case 16, 32: readFields(source, into: target)
    default: readIndices(source, into: target)
    }
  }

  func finish() throws {}

  deinit { row?.deallocate() }

  private func makeRow() -> UnsafeMutablePointer<UInt8> {
    let count = region.width * (hasAlpha ? 4 : 3) + pixelRowSlack
    let row = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    row.initialize(repeating: 0, count: count)
    self.row = row
    return row
  }

  private func readTrueColor(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
  ) {
    let start = region.x * 3
    for offset in stride(from: 0, to: region.width * 3, by: 3) {
      target[offset] = source[start + offset + 2]
      target[offset + 1] = source[start + offset + 1]
      target[offset + 2] = source[start + offset]
    }
  }

  private func readFields(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
  ) {
    let (red, green, blue) = (header.masks[0], header.masks[1], header.masks[2])
    let alpha = header.masks[3]
    let size = header.bitsPerPixel / 8
    var written = 0
    for x in region.x..<region.x + region.width {
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
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
  ) {
    let bits = header.bitsPerPixel
    let mask = (1 << bits) - 1
    var written = 0
    for x in region.x..<region.x + region.width {
      let bit = x * bits
      let index = (Int(source[bit / 8]) >> (8 - bits - bit % 8)) & mask
      for channel in 0..<3 {
        target[written + channel] = palette[index * 3 + channel]
      }
      written += 3
    }
  }
}

extension BitmapHeader {
  /// Returns 256 colours as RGB.
  ///
  /// Colours that the file doesn't have are black.
  fileprivate func palette(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var colors = [UInt8](repeating: 0, count: 256 * 3)
    for index in 0..<paletteCount {
      let entry = paletteOffset + index * paletteEntryBytes
      for channel in 0..<3 {
        colors[index * 3 + channel] = bytes[entry + 2 - channel]
      }
    }
    return colors
  }
}
