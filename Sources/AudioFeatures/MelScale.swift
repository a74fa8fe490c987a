// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A scale on which equal distances sound equal.
package enum MelScale: String, Sendable, CaseIterable {
  /// The scale of Slaney's Auditory Toolbox: linear to 1 kHz, then logarithmic.
  case slaney
  /// The scale of the Hidden Markov Model Toolkit: logarithmic.
  case htk

  private static let bend = 1000.0
  private static let linearStep = 200.0 / 3
  private static let logStep = log(6.4) / 27

  func mel(_ frequency: Double) -> Double {
    switch self {
    case .htk: 2595 * log10(1 + frequency / 700)
    case .slaney:
      frequency < Self.bend
        ? frequency / Self.linearStep
        : Self.bend / Self.linearStep + log(frequency / Self.bend) / Self.logStep
    }
  }

  func frequency(_ mel: Double) -> Double {
    switch self {
    case .htk: 700 * (pow(10, mel / 2595) - 1)
    case .slaney:
      mel < Self.bend / Self.linearStep
        ? mel * Self.linearStep
        : Self.bend * exp(Self.logStep * (mel - Self.bend / Self.linearStep))
    }
  }
}
