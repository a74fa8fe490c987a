// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Parameters of TensorFlow Lite Micro's front end, with the names and defaults of the Python
/// function `audio_microfrontend`.
package struct MicroSpeechFeatures: Sendable {
  /// How the values that the front end computes are divided.
  package enum OutputType: String, Sendable, CaseIterable {
    /// The quotient is rounded down.
    case uint16
    case float
  }

  /// The length of a window, in milliseconds.
  package var windowSize = 25
  /// The time from one window to the next, in milliseconds.
  package var windowStep = 10
  package var channels = 32
  package var upperBandLimit: Float = 7500
  package var lowerBandLimit: Float = 125
  package var smoothingBits = 10
  package var evenSmoothing: Float = 0.025
  package var oddSmoothing: Float = 0.06
  package var minSignalRemaining: Float = 0.05
  package var enablePCAN = true
  package var pcanStrength: Float = 0.95
  package var pcanOffset: Float = 80
  package var gainBits = 21
  package var enableLog = true
  package var scaleShift = 6
  /// The number of frames before each frame that its row includes.
  package var leftContext = 0
  /// The number of frames after each frame that its row includes.
  package var rightContext = 0
  /// The distance between the frames that have a row.
  package var frameStride = 1
  /// Whether frames before the first and after the last are zeros, and not copies of these.
  package var zeroPadding = false
  /// What the values are divided by.
  package var outScale = 1
  package var outType = OutputType.uint16

  package init() {}

  func check() throws(AudioError) {
    try AudioError.check("num_channels", channels, 1...1024)
    try AudioError.check("smoothing_bits", smoothingBits, 0...31)
    try AudioError.check("even_smoothing", Double(evenSmoothing), 0...1)
    try AudioError.check("odd_smoothing", Double(oddSmoothing), 0...1)
    try AudioError.check("min_signal_remaining", Double(minSignalRemaining), 0...1)
    try AudioError.check("pcan_strength", Double(pcanStrength), 0...100)
    try AudioError.check("pcan_offset", Double(pcanOffset), 1e-3...1e9)
    try AudioError.check("gain_bits", gainBits, 0...31)
    try AudioError.check("scale_shift", scaleShift, 0...16)
    try AudioError.check("left_context", leftContext, 0...1024)
    try AudioError.check("right_context", rightContext, 0...1024)
    try AudioError.check("frame_stride", frameStride, 1...(1 << 20))
    try AudioError.check("out_scale", outScale, 1...65535)
    try AudioError.check("upper_band_limit", Double(upperBandLimit), 1...1e7)
    guard lowerBandLimit >= 0, lowerBandLimit < upperBandLimit else {
      throw AudioError(
        "'lower_band_limit' must be from 0 to 'upper_band_limit', which is \(upperBandLimit), but "
          + "it is \(lowerBandLimit).")
    }
  }
}
