// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Turns rows of any format into what resamplers take: three bytes that count in every pixel, in
/// the order that they are stored in.
struct PixelReader {
  private enum Conversion {
    case none
    /// Gray to three equal bytes.
    case spread
    /// Colours to their brightness, three times.
    case gray
  }

  /// How the rows given out lie in memory.
  let format: SourceFormat
  /// Whether the first of the three is blue.
  let isBGR: Bool

  private let conversion: Conversion
  private let crop: PixelCrop
  /// From the start of a row to the crop's first byte that counts.
  private let offset: Int
  private let storedBytesPerPixel: Int
  private let scratch: RowMemory<UInt8>

  /// Free it with ``deallocate()``.
  ///
  /// - Parameters:
  ///   - stored: The format of the rows.
  ///   - crop: The part to read, within the picture.
  ///   - makesGray: Whether the brightness is wanted.
  init(_ stored: PixelBuffer.Format, crop: PixelCrop, makesGray: Bool) {
    self.crop = crop
    storedBytesPerPixel = stored.bytesPerPixel
    let offsets = stored.colorOffsets
    conversion = stored == .gray ? .spread : makesGray ? .gray : .none
    format = SourceFormat(bytesPerPixel: conversion == .none ? storedBytesPerPixel : 3)
    isBGR = offsets.red > offsets.blue
    offset = crop.x * storedBytesPerPixel + min(offsets.red, offsets.blue)
    scratch = RowMemory(width: conversion == .none ? 0 : crop.width * 3, zero: 0)
  }

  func deallocate() { scratch.deallocate() }

  /// A row of the crop: where it lies, or converted in scratch memory.
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

/// The rows of a picture in memory.
struct BufferedRows: PixelRows {
  let width: Int
  let height: Int
  let format: PixelBuffer.Format
  typealias Failure = Never
  private let bytes: UnsafePointer<UInt8>
  private let bytesPerRow: Int

  /// - Parameters:
  ///   - bytes: The picture's bytes, with ``pixelRowSlack`` readable ones behind them; they must
  ///     outlive the rows.
  ///   - picture: What they are.
  init(_ bytes: UnsafePointer<UInt8>, of picture: PixelBuffer) {
    self.bytes = bytes
    width = picture.width
    height = picture.height
    format = picture.format
    bytesPerRow = picture.bytesPerRow
  }

  func row(_ y: Int) -> UnsafePointer<UInt8> { bytes + y &* bytesPerRow }

  func finish() {}
}

extension PixelBuffer {
  /// Calls a closure with the rows as they are stored.
  func withRows(_ body: (BufferedRows) -> Void) {
    withBytes { span in
      span.withUnsafeBytes { bytes in
        guard let bytes = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        body(BufferedRows(bytes, of: self))
      }
    }
  }
}
