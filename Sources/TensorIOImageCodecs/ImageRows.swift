// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// The options for decoding a JPEG image.
///
/// Other formats support only the denominator 1.
package struct DecodeOptions: Hashable, Sendable {
  /// The number that the sides are divided by, rounded up: 1, 2, 4 or 8.
  package var denominator = 1
  /// Whether chroma is smoothed when it is enlarged, as in Pillow.
  package var fancyUpsampling = true
  /// Whether to use the faster but less exact inverse transform.
  package var fastDCT = false

  /// Whether to read data above and below the part too, so that damage there is found.
  package var readsAll = true

  package init(
    denominator: Int = 1, fancyUpsampling: Bool = true, fastDCT: Bool = false,
    readsAll: Bool = true
  ) {
    self.denominator = denominator
    self.fancyUpsampling = fancyUpsampling
    self.fastDCT = fastDCT
    self.readsAll = readsAll
  }
}

/// The rows of a part of an image, as its decoder produces them.
package struct ImageRows: PixelRows {
  let width: Int
  let height: Int
  package let format: PixelBuffer.Format

  private let source: any RowSource
  private var next = 0

  init(_ source: any RowSource, region: PixelCrop, format: PixelBuffer.Format) {
    self.source = source
    width = region.width
    height = region.height
    self.format = format
  }

  package mutating func row(_ y: Int) throws -> UnsafePointer<UInt8> {
    precondition(y >= next && y < height, "Rows must be read from top to bottom.")
    defer { next = y + 1 }
    return try source.row(skipping: y - next)
  }

  package mutating func finish() throws {
    try source.finish()
  }

  /// Writes the next row into `target`, which must have the size of a row.
  mutating func readRow(into target: UnsafeMutablePointer<UInt8>) throws {
    precondition(next < height, "No rows are left.")
    next += 1
    try source.readRow(into: target)
  }
}

/// A decoder that provides ``ImageRows`` with rows, once it has been started for a part of the
/// image.
protocol RowSource: AnyObject {
  /// Skips `count` rows and returns the next one, with ``pixelRowSlack`` bytes after it.
  func row(skipping count: Int) throws -> UnsafePointer<UInt8>
  /// Writes the next row into `target`.
  func readRow(into target: UnsafeMutablePointer<UInt8>) throws
  /// Reads to the end of the file.
  func finish() throws
}
