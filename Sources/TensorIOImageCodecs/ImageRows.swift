// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// How a JPEG picture is decoded; other formats only know the denominator 1.
package struct DecodeOptions: Hashable, Sendable {
  /// What sides are divided by, rounded up: 1, 2, 4 or 8.
  package var denominator = 1
  /// Whether chroma is smoothed when it is enlarged, as Pillow does.
  package var fancyUpsampling = true
  /// Whether the faster, less exact inverse transform is taken.
  package var fastDCT = false

  /// Whether data above and below the part is read, too, so that damage there is found.
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

/// The rows of a part of a picture, as its decoder makes them.
package struct ImageRows: PixelRows {
  package let width: Int
  package let height: Int
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
    precondition(y >= next && y < height, "Rows are read from top to bottom.")
    defer { next = y + 1 }
    return try source.row(skipping: y - next)
  }

  package mutating func finish() throws {
    try source.finish()
  }

  /// Writes the next row; the target has the size of a row.
  mutating func readRow(into target: UnsafeMutablePointer<UInt8>) throws {
    precondition(next < height, "No row is left.")
    next += 1
    try source.readRow(into: target)
  }
}

/// What a decoder does for ``ImageRows``, once it has been started for a part of the picture.
protocol RowSource: AnyObject {
  /// The row after `count` others, with ``pixelRowSlack`` bytes behind it.
  func row(skipping count: Int) throws -> UnsafePointer<UInt8>
  /// Writes the next row somewhere.
  func readRow(into target: UnsafeMutablePointer<UInt8>) throws
  /// Reads to the end of the file.
  func finish() throws
}
