// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How the stored pixels must be turned to be upright, as in EXIF.
///
/// The raw values are those of EXIF's tag 0x0112.
public enum ImageOrientation: Int, Sendable, CaseIterable {
  /// Upright as stored.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Upside down.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored along the main diagonal (transposed).
  case leftMirrored = 5
  /// Upright after a clockwise quarter turn.
  case right = 6
  /// Mirrored along the other diagonal (transversed).
  case rightMirrored = 7
  /// Upright after a counterclockwise quarter turn.
  case left = 8

  /// Whether turning the image upright swaps its width and height.
  package var swapsAxes: Bool { rawValue >= 5 }

  /// Whether turning the image upright moves the far end of a stored axis to the left or to the
  /// top.
  package var flips: (horizontally: Bool, vertically: Bool) {
    switch self {
    case .up, .leftMirrored: (false, false)
    case .upMirrored, .right: (true, false)
    case .downMirrored, .left: (false, true)
    case .down, .rightMirrored: (true, true)
    }
  }
}
