// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The rows of an image or of a part of it, read from top to bottom.
///
/// They come from memory, or from a decoder as it produces them.
package protocol PixelRows: ~Copyable {
  /// The error that a damaged image throws.
  associatedtype Failure: Error = any Error

  /// The width in pixels.
  var width: Int { get }
  /// The number of rows.
  var height: Int { get }
  /// The order of the bytes in a pixel.
  var format: PixelBuffer.Format { get }

  /// Returns the pixels of a row.
  ///
  /// Callers request rows in increasing order, each at most once, and may skip rows. The pointer is
  /// valid until the next call, and at least ``pixelRowSlack`` readable bytes follow the row.
  ///
  /// - Parameter y: The row, from 0.
  /// - Returns: The address of the first byte of the row's first pixel.
  /// - Throws: An error when the image turns out to be damaged.
  mutating func row(_ y: Int) throws(Failure) -> UnsafePointer<UInt8>

  /// Reads the rest of the image after the last requested row, so that damage there is also found.
  mutating func finish() throws(Failure)
}

/// The number of readable bytes after a row, so that kernels can load whole vectors.
package let pixelRowSlack = 16
