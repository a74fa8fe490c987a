// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Parameters of front ends that librosa computes.
package struct LibrosaFeatures: Sendable {
  /// What precedes and follows a recording whose frames are centred.
  package enum PadMode: String, Sendable, CaseIterable {
    case constant
    case reflect
  }

  /// Parameters of `librosa.filters.mel`.
  package struct Mel: Sendable {
    package var bands: Int
    package var lower: Double
    /// The upper limit; nil for half the sample rate.
    package var upper: Double?
    package var scale: MelScale
    /// Whether the filters have the same area, as with `norm="slaney"`.
    ///
    /// Otherwise, their largest weight is 1, as with `norm=None`.
    package var isNormalized: Bool

    package init(
      bands: Int = 128, lower: Double = 0, upper: Double? = nil, scale: MelScale = .slaney,
      isNormalized: Bool = true
    ) {
      (self.bands, self.lower, self.upper) = (bands, lower, upper)
      (self.scale, self.isNormalized) = (scale, isNormalized)
    }
  }

  /// The length of the transform.
  package var fftLength = 2048
  /// The number of samples between frames; nil for a quarter of the window.
  package var hopLength: Int?
  /// The number of samples in the window; nil for the length of the transform.
  package var windowLength: Int?
  /// Whether a frame is around its position, and not after it.
  package var isCentred = true
  package var padMode = PadMode.constant
  /// The power of the magnitudes.
  package var power = 2.0
  package var mel: Mel?
  package var log: LogScale?
  /// The number of coefficients of `librosa.feature.mfcc`, if they are computed.
  package var coefficients: Int?
  /// The `lifter` of `librosa.feature.mfcc`; 0 for none.
  package var lifter = 0.0

  package init() {}
}
