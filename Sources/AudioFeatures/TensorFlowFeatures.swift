// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Parameters of front ends that TensorFlow computes with `tf.signal`.
///
/// Names of parameters in messages are those of the Python functions.
package struct TensorFlowFeatures: Sendable {
  /// Parameters of `tf.signal.linear_to_mel_weight_matrix`.
  package struct Mel: Sendable {
    package var bands: Int
    package var lower: Double
    package var upper: Double

    package init(bands: Int = 20, lower: Double = 125, upper: Double = 3800) {
      (self.bands, self.lower, self.upper) = (bands, lower, upper)
    }
  }

  /// The number of samples in a frame.
  package var frameLength: Int
  /// The number of samples from the start of one frame to the start of the next.
  package var frameStep: Int
  /// The length of the transform; nil for the smallest power of two that holds a frame.
  package var fftLength: Int?
  /// Whether zeros follow the recording, so that its last samples are in a frame.
  package var padEnd = false
  /// The power of the magnitudes: 1 or 2.
  package var power = 1.0
  package var mel: Mel?
  package var log: LogScale?
  /// How many coefficients of `tf.signal.mfccs_from_log_mel_spectrograms` are kept, if any.
  package var coefficients: Int?

  package init(frameLength: Int, frameStep: Int) {
    (self.frameLength, self.frameStep) = (frameLength, frameStep)
  }
}
