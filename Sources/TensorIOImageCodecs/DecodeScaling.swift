// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How much of a photo's detail is decoded when a small tensor is made of it.
///
/// JPEG pictures can be decoded at a half, a quarter or an eighth of their size, which is several
/// times faster. Pixels differ a little then from those of a picture decoded whole and resized.
/// Other formats are always decoded whole.
public enum DecodeScaling: String, CaseIterable, Sendable {
  /// The whole picture: bit for bit what Pillow's `Image.open` gives.
  case exact
  /// At a fraction that leaves both sides of the used part at least twice as long as the target's,
  /// so that the resize still averages. Differences are hard to see.
  case high
  /// At the smallest fraction that leaves both sides at least as long as the target's. What lies
  /// above and below the used part is not read where that saves time, so damage there stays unseen.
  case fast

  /// What the sides of a picture are divided by when it is decoded: 1, 2, 4 or 8.
  ///
  /// - Parameters:
  ///   - used: The part of the picture that is used, in stored pixels.
  ///   - target: The size that it is resized to, turned as the picture is stored.
  /// - Returns: The denominator.
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
