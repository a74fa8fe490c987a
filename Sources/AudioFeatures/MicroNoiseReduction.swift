// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Subtracts a slowly changing estimate of the noise from each channel.
struct MicroNoiseReduction: Sendable {
  private let smoothing: [UInt64]
  private let remaining: UInt64
  private let scaleBits: UInt32

  private static let bits: UInt64 = 14

  init(_ parameters: MicroSpeechFeatures) {
    func integer(_ fraction: Float) -> UInt64 { UInt64(fraction * Float(1 << Self.bits)) }
    smoothing = [integer(parameters.evenSmoothing), integer(parameters.oddSmoothing)]
    remaining = integer(parameters.minSignalRemaining)
    scaleBits = UInt32(parameters.smoothingBits)
  }

  func apply(_ signal: UInt32, _ channel: Int, noise: inout UInt32) -> UInt32 {
    let share = smoothing[channel % 2]
    let scaled = signal << scaleBits
    let mixed = UInt64(scaled) * share + UInt64(noise) * ((1 << Self.bits) - share)
    noise = UInt32(truncatingIfNeeded: mixed >> Self.bits)
    let least = UInt32(truncatingIfNeeded: (UInt64(signal) * remaining) >> Self.bits)
    return max((scaled - min(noise, scaled)) >> scaleBits, least)
  }
}
