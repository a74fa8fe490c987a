// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The amount of detail that is decoded when a small tensor is made of a large image.
///
/// JPEG images can be decoded at a half, a quarter or an eighth of their size, which is several
/// times faster. The pixels then differ a little from those of an image that is decoded whole and
/// resized. Other formats are always decoded whole.
public enum DecodeScaling: String, CaseIterable, Sendable {
  /// Decodes the whole image, with exactly the pixels that Pillow's `Image.open` gives.
  case exact
  /// Decodes at a fraction that leaves both sides of the used part at least twice as long as the
  /// target's.
  ///
  /// The resize then still averages pixels, so differences are hard to see.
  case high
  /// Decodes at the smallest fraction that leaves both sides at least as long as the target's.
  ///
  /// The data above and below the used part isn't read where that saves time, so damage there goes
  /// unnoticed.
  case fast

  /// Returns the number that an image's sides are divided by when it is decoded: 1, 2, 4 or 8.
  ///
  /// The sizes are those of the used part and of its result, as stored.
  package func denominator(
    used: (width: Int, height: Int), target: (width: Int, height: Int)
  ) -> Int {
    let factor: Int
    switch self {
    case .exact: return 1
    case .high: factor = 2
    case .fast: factor = 1
    }
    for denominator in [8, 4, 2]
    where used.width / denominator >= target.width * factor
      && used.height / denominator >= target.height * factor
    {
      return denominator
    }
    return 1
  }
}
