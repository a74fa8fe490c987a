// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// TensorFlow Lite Micro's front end, whose arithmetic is in integers.
///
/// The results equal those of the operation `AudioMicrofrontend` of
/// `tensorflow.lite.experimental.microfrontend`: a window, a Fourier transform, mel filters, noise
/// reduction, automatic gain control (PCAN) and a logarithm.
struct MicroSpeech: Sendable {
  /// The number of values in a row.
  var channels: Int { parameters.channels * context }
  private var context: Int { 1 + parameters.leftContext + parameters.rightContext }
  private let parameters: MicroSpeechFeatures
  private let step: Int
  private let window: [Int16]
  private let transform: FixedPointTransform
  private let filters: MicroFilters
  private let reduction: MicroNoiseReduction
  private let gain: MicroGain?
  /// The binary digits by which values are too small for the logarithm.
  private let correctionBits: Int

  private static let windowBits = 12

  init(_ parameters: MicroSpeechFeatures, sampleRate: Int) throws(AudioError) {
    try parameters.check()
    try AudioError.check("window_size", parameters.windowSize, 1...100_000)
    try AudioError.check("window_step", parameters.windowStep, 1...100_000)
    let size = parameters.windowSize * sampleRate / 1000
    step = parameters.windowStep * sampleRate / 1000
    guard (4...(1 << 15)).contains(size), (1...size).contains(step) else {
      throw AudioError(
        "'window_size' and 'window_step' give windows of \(size) samples every \(step) samples at "
          + "\(sampleRate) Hz. A window must have 4 to 32768 samples, and the step must be from 1 "
          + "to the size of the window.")
    }
    self.parameters = parameters
    window = MicroTables.window(size, bits: Self.windowBits)
    transform = FixedPointTransform(atLeast: size)
    filters = try MicroFilters(
      parameters, sampleRate: sampleRate, frequencies: transform.frequencies)
    reduction = MicroNoiseReduction(parameters)
    correctionBits = transform.length.trailingZeroBitCount - MicroFilters.weightBits / 2
    gain = parameters.enablePCAN ? try MicroGain(parameters, correctionBits) : nil
  }

  /// Returns the number of rows of the result.
  func frameCount(_ samples: Int) -> Int {
    let count = windowCount(samples)
    return count == 0 ? 0 : (count - 1) / parameters.frameStride + 1
  }

  private func windowCount(_ samples: Int) -> Int {
    samples < window.count ? 0 : (samples - window.count) / step + 1
  }

  /// Returns the rows in a range.
  func features(_ samples: Span<Int16>, _ range: Range<Int>) -> [Float] {
    let values = values(samples)
    let count = parameters.channels
    let frames = values.count / count
    var result: [Float] = []
    result.reserveCapacity(range.count * channels)
    for row in range {
      let anchor = row * parameters.frameStride
      for frame in (anchor - parameters.leftContext)...(anchor + parameters.rightContext) {
        let isMissing = frame < 0 || frame >= frames
        let known = min(max(frame, 0), frames - 1)
        for channel in 0..<count {
          let value = isMissing && parameters.zeroPadding ? 0 : values[known * count + channel]
          result.append(scaled(value))
        }
      }
    }
    return result
  }

  private func scaled(_ value: UInt16) -> Float {
    switch parameters.outType {
    case .uint16: Float(value / UInt16(clamping: parameters.outScale))
    case .float: Float(value) / Float(parameters.outScale)
    }
  }

  /// Computes the channels of every window.
  func values(_ samples: Span<Int16>) -> [UInt16] {
    let count = windowCount(samples.count)
    var result: [UInt16] = []
    result.reserveCapacity(count * parameters.channels)
    var frame = [Int16](repeating: 0, count: transform.length)
    var memory = transform.makeMemory()
    var energy = [Int32](repeating: 0, count: transform.frequencies)
    var channels = [UInt32](repeating: 0, count: parameters.channels)
    var noise = channels
    for index in 0..<count {
      let shift = apply(samples, index * step, &frame)
      transform.computeEnergy(of: frame, into: &energy, memory: &memory)
      filters.apply(energy, shift, &channels)
      for channel in channels.indices {
        let reduced = reduction.apply(channels[channel], channel, noise: &noise[channel])
        let value = gain?.apply(reduced, noise: noise[channel]) ?? reduced
        result.append(UInt16(clamping: parameters.enableLog ? logarithm(of: value) : value))
      }
    }
    return result
  }

  /// Multiplies samples by the window, and shifts them left as far as there is room.
  private func apply(_ samples: Span<Int16>, _ start: Int, _ frame: inout [Int16]) -> Int {
    var largest: Int16 = 0
    for index in window.indices {
      let product = Int32(samples[start + index]) * Int32(window[index])
      let value = Int16(truncatingIfNeeded: product >> Self.windowBits)
      frame[index] = value
      // The magnitude of the lowest integer overflows to itself, as in the reference.
      largest = max(largest, value < 0 ? 0 &- value : value)
    }
    let shift = largest.leadingZeroBitCount - 1
    for index in window.indices { frame[index] <<= Int16(shift) }
    return shift
  }

  private func logarithm(of value: UInt32) -> UInt32 {
    let corrected = correctionBits < 0 ? value >> -correctionBits : value << correctionBits
    guard corrected > 1 else { return 0 }
    return MicroTables.logarithm(of: corrected, shift: UInt32(parameters.scaleShift))
  }
}
