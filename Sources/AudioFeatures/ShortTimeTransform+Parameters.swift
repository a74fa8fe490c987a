// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ShortTimeTransform {
  /// The lengths of transforms that are allowed.
  private static let lengths = 2...(1 << 16)

  init(_ parameters: TensorFlowFeatures) throws(AudioError) {
    let length = parameters.frameLength
    try AudioError.check("frame_length", length, 1...Self.lengths.upperBound)
    try AudioError.check("frame_step", parameters.frameStep, 1...(1 << 28))
    let fftLength = parameters.fftLength ?? Self.powerOfTwo(atLeast: length)
    try Self.checkLength("fft_length", fftLength, atLeast: length, "frame_length")
    try Self.checkPower(parameters.power)
    self.init(
      // TensorFlow makes windows of odd lengths symmetric, even if they are to be periodic.
      window: Self.hann(length, period: length == 1 ? 0 : length - length % 2),
      step: parameters.frameStep, padding: parameters.padEnd ? .zerosAtEnd : .none,
      transform: RealTransform(length: fftLength), power: parameters.power)
  }

  init(_ parameters: LibrosaFeatures) throws(AudioError) {
    let length = parameters.fftLength
    try Self.checkLength("n_fft", length, atLeast: parameters.windowLength ?? 1, "win_length")
    let windowLength = parameters.windowLength ?? length
    try AudioError.check("win_length", windowLength, 1...length)
    let step = parameters.hopLength ?? windowLength / 4
    try AudioError.check("hop_length", step, 1...(1 << 28))
    try Self.checkPower(parameters.power)
    let padding: Padding =
      switch parameters.padMode {
      case .constant: .zeros
      case .reflect: .reflection
      }
    self.init(
      window: Self.centred(Self.hann(windowLength, period: windowLength), in: length),
      step: step, padding: parameters.isCentred ? padding : .none,
      transform: RealTransform(length: length), power: parameters.power)
  }

  init(_ parameters: SpeechCommandsFeatures) throws(AudioError) {
    let length = parameters.windowSize
    try AudioError.check("window_size", length, Self.lengths)
    try AudioError.check("stride", parameters.stride, 1...(1 << 28))
    // `tf.raw_ops.Mfcc` takes the square root of what the spectrogram returns.
    let power = (parameters.magnitudeSquared ? 2 : 1) * (parameters.mfcc == nil ? 1 : 0.5)
    self.init(
      window: Self.hann(length, period: length), step: parameters.stride, padding: .none,
      transform: RealTransform(length: Self.powerOfTwo(atLeast: length)), power: power)
  }

  private static func checkLength(
    _ name: String, _ length: Int, atLeast least: Int, _ leastName: String
  ) throws(AudioError) {
    try AudioError.check(name, length, lengths)
    guard length.isMultiple(of: 2) else {
      throw AudioError("'\(name)' must be even, but it is \(length).")
    }
    guard length >= least else {
      throw AudioError(
        "'\(name)' must be at least '\(leastName)', which is \(least), but it is \(length).")
    }
  }

  private static func checkPower(_ power: Double) throws(AudioError) {
    try AudioError.check("power", power, 1e-3...16)
  }

  /// Returns a power of two; `length` is at most 2¹⁶.
  private static func powerOfTwo(atLeast length: Int) -> Int {
    var power = 2
    while power < length { power *= 2 }
    return power
  }
}
