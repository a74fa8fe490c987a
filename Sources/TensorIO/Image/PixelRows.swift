// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The rows of a picture, or of a part of it, read from top to bottom: from memory, or out of a
/// decoder as it makes them.
package protocol PixelRows: ~Copyable {
  /// What a damaged picture throws.
  associatedtype Failure: Error = any Error

  /// Pixels in a row.
  var width: Int { get }
  /// Rows.
  var height: Int { get }
  /// The order of the bytes of a pixel.
  var format: PixelBuffer.Format { get }

  /// The pixels of a row.
  ///
  /// Rows are asked for in increasing order, each at most once, and some not at all. The pointer
  /// holds until the next call; at least ``pixelRowSlack`` readable bytes follow the row.
  ///
  /// - Parameter y: The row, from 0.
  /// - Returns: The first byte of its first pixel.
  /// - Throws: When the picture turns out to be damaged.
  mutating func row(_ y: Int) throws(Failure) -> UnsafePointer<UInt8>

  /// Reads what follows the last row that was asked for, so that damage there is found, too.
  mutating func finish() throws(Failure)
}

/// What must be readable behind a row, so that kernels can load whole vectors.
package let pixelRowSlack = 16
