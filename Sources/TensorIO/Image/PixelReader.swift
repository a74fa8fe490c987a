// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Converts rows of any format to the form that resamplers take.
///
/// Each pixel has three bytes, in the order in which they are stored, and may have a fourth that is
/// ignored.
struct PixelReader {
  private enum Conversion {
    case none
    /// Copies gray to three equal bytes.
    case spread
    /// Converts colours to their brightness, stored three times.
    case gray
  }

  /// The number of bytes in a pixel of the returned rows.
  let bytesPerPixel: Int
  /// Whether the first of the three bytes is blue.
  let isBGR: Bool

  private let conversion: Conversion
  private let crop: PixelCrop
  /// The offset from the start of a row to the first colour byte of the crop.
  private let offset: Int
  private let storedBytesPerPixel: Int
  private let scratch: RowMemory<UInt8>

  /// Makes a reader of a part of an image, to be freed with ``deallocate()``.
  init(_ stored: PixelBuffer.Format, crop: PixelCrop, makesGray: Bool) {
    self.crop = crop
    storedBytesPerPixel = stored.bytesPerPixel
    let offsets = stored.colorOffsets
    conversion = stored == .gray ? .spread : makesGray ? .gray : .none
    bytesPerPixel = conversion == .none ? storedBytesPerPixel : 3
    isBGR = offsets.red > offsets.blue
    offset = crop.x * storedBytesPerPixel + min(offsets.red, offsets.blue)
    scratch = RowMemory(width: conversion == .none ? 0 : crop.width * 3)
  }

  func deallocate() { scratch.deallocate() }

  /// Returns a row of the crop, in place or converted into scratch memory.
  func row<Rows: PixelRows & ~Copyable>(
    _ y: Int, of rows: inout Rows
  ) throws(Rows.Failure) -> UnsafePointer<UInt8> {
    let pixels = try rows.row(crop.y &+ y) + offset
    switch conversion {
    case .none: return pixels
    case .spread:
      for x in 0..<crop.width {
        scratch.first[x &* 3] = pixels[x]
        scratch.first[x &* 3 &+ 1] = pixels[x]
        scratch.first[x &* 3 &+ 2] = pixels[x]
      }
    case .gray:
      pixel_gray_row(pixels, storedBytesPerPixel, isBGR ? 1 : 0, crop.width, scratch.first)
    }
    return UnsafePointer(scratch.first)
  }
}

struct BufferedRows: PixelRows {
  let width: Int
  let height: Int
  let format: PixelBuffer.Format
  typealias Failure = Never
  private let bytes: UnsafePointer<UInt8>
  private let bytesPerRow: Int

  /// The bytes, with ``pixelRowSlack`` more after them, must outlive the rows.
  init(_ bytes: UnsafePointer<UInt8>, of image: PixelBuffer) {
    self.bytes = bytes
    width = image.width
    height = image.height
    format = image.format
    bytesPerRow = image.bytesPerRow
  }

  func row(_ y: Int) -> UnsafePointer<UInt8> { bytes + y &* bytesPerRow }

  func finish() {}
}

extension PixelBuffer {
  /// Calls a closure with the rows as they are stored.
  func withRows(_ body: (inout BufferedRows) -> Void) {
    withUnsafeBytes { bytes in
      guard let bytes = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
      var rows = BufferedRows(bytes, of: self)
      body(&rows)
    }
  }
}

/// The rows of an image or of a part of it, read from top to bottom.
///
/// They come from memory, or from a decoder as it produces them.
package protocol PixelRows: ~Copyable {
  /// The error that a damaged image throws.
  associatedtype Failure: Error = any Error

  var format: PixelBuffer.Format { get }

  /// Returns the address of a row's first pixel, which is valid until the next call.
  ///
  /// Callers request rows in increasing order, each at most once, and may skip rows. At least
  /// ``pixelRowSlack`` readable bytes follow the row.
  mutating func row(_ y: Int) throws(Failure) -> UnsafePointer<UInt8>

  /// Reads the rest of the image after the last requested row, so that damage there is also found.
  mutating func finish() throws(Failure)
}

/// The number of readable bytes after a row, so that kernels can load whole vectors.
package let pixelRowSlack = 16
