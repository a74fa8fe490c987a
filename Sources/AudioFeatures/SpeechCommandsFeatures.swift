// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Parameters of the operations of speech_commands, `tf.raw_ops.AudioSpectrogram` and
/// `tf.raw_ops.Mfcc`, which were `contrib_audio.audio_spectrogram` and `contrib_audio.mfcc`.
package struct SpeechCommandsFeatures: Sendable {
  /// Parameters of `tf.raw_ops.Mfcc`.
  package struct Mfcc: Sendable {
    package var upper: Double
    package var lower: Double
    package var channels: Int
    package var coefficients: Int

    package init(
      upper: Double = 4000, lower: Double = 20, channels: Int = 40, coefficients: Int = 13
    ) {
      (self.upper, self.lower) = (upper, lower)
      (self.channels, self.coefficients) = (channels, coefficients)
    }
  }

  /// The number of samples in a window.
  package var windowSize: Int
  package var stride: Int
  package var magnitudeSquared = false
  /// The cepstrum; nil for the spectrogram.
  package var mfcc: Mfcc?

  package init(windowSize: Int, stride: Int) {
    (self.windowSize, self.stride) = (windowSize, stride)
  }
}
