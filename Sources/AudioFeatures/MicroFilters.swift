// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The mel filters of ``MicroSpeech``, whose weights are integers.
struct MicroFilters: Sendable {
  static let weightBits = 12
  /// The first frequency of each channel and of the one after the last.
  private var starts: [Int] = []
  /// The share of each frequency in its channel, and in the next one.
  private var weights: [(own: UInt64, next: UInt64)] = []

  init(
    _ parameters: MicroSpeechFeatures, sampleRate: Int, frequencies: Int
  ) throws(AudioError) {
    let count = parameters.channels + 1
    let low = Self.mel(parameters.lowerBandLimit)
    let spacing = (Self.mel(parameters.upperBandLimit) - low) / Float(count)
    let width = Float(0.5 * Double(sampleRate) / Double(Float(frequencies) - 1))
    // The constant frequency isn't used.
    var bin = Int(min(1.5 + Double(parameters.lowerBandLimit / width), 1e9))
    starts.append(bin)
    var edge = low
    for channel in 0..<count {
      let centre = low + spacing * Float(channel + 1)
      while bin < frequencies, Self.mel(Float(bin) * width) <= centre {
        let weight = (centre - Self.mel(Float(bin) * width)) / (centre - edge)
        weights.append((Self.integer(Double(weight)), Self.integer(1 - Double(weight))))
        bin += 1
      }
      starts.append(bin)
      edge = centre
    }
    guard bin < frequencies else {
      throw AudioError(
        "'upper_band_limit' must be less than half the sample rate, which is \(sampleRate / 2), "
          + "but it is \(parameters.upperBandLimit).")
    }
  }

  private static func mel(_ frequency: Float) -> Float {
    Float(1127 * log1p(Double(frequency) / 700))
  }

  /// Returns a weight as an integer.
  ///
  /// The weight is NaN if a channel has no width.
  private static func integer(_ weight: Double) -> UInt64 {
    let rounded = (weight * Double(1 << weightBits) + 0.5).rounded(.down)
    return rounded > 0 ? UInt64(min(rounded, 32767)) : 0
  }

  /// Computes the magnitude of each channel from the squared magnitudes of the frequencies, which
  /// were shifted left.
  func apply(_ energy: [Int32], _ shift: Int, _ channels: inout [UInt32]) {
    var carried: UInt64 = 0
    for channel in 0...channels.count {
      var sum = carried
      carried = 0
      for bin in starts[channel]..<starts[channel + 1] {
        let value = UInt64(truncatingIfNeeded: energy[bin])
        let weight = weights[bin - starts[0]]
        sum &+= weight.own &* value
        carried &+= weight.next &* value
      }
      // The first sum only has what is below the first channel's centre.
      if channel > 0 { channels[channel - 1] = MicroTables.squareRoot(of: sum) >> UInt32(shift) }
    }
  }
}
