// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation

/// Computes what a sum with Gaussian noise reveals about one client at most.
///
/// The Rényi differential privacy of order α of the Gaussian mechanism is α / (2 σ²), where σ is the
/// noise multiplier. It is converted to (ε, δ) by proposition 12 of Canonne, Kamath and Steinke
/// (2020), and the smallest ε of many orders is taken. Two rounds are neighbours if one of them has
/// zeros in the place of one client's update. No amplification by sampling is claimed.
package enum PrivacyAccountant {
  private static let orders: [Double] = {
    let small: [Double] = (1..<100).map { 1 + Double($0) / 10 }
    let medium: [Double] = (11..<64).map { Double($0) }
    return small + medium + [128, 256, 512, 1024]
  }()

  /// Returns the ε of a round.
  ///
  /// If the same clients take part in k rounds, their ε is that of one round whose noise is divided
  /// by the square root of k.
  ///
  /// - Parameters:
  ///   - noiseMultiplier: The standard deviation of the noise, as a multiple of the largest norm.
  ///   - delta: The δ.
  /// - Returns: The ε, which is infinite without noise, or with too little for Double.
  package static func epsilon(noiseMultiplier: Double, delta: Double) -> Double {
    guard noiseMultiplier > 0, delta > 0 else { return .infinity }
    let rate = 1 / (2 * noiseMultiplier * noiseMultiplier)
    var best = Double.infinity
    for order in orders {
      let epsilon: Double = rate * order + log1p(-1 / order) - log(delta * order) / (order - 1)
      best = min(best, max(0, epsilon))
    }
    return best
  }
}
#endif
