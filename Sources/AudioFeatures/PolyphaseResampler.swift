// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Changes the sample rate as `scipy.signal.resample_poly(samples, target, source)` does, with its
/// default window, `("kaiser", 5.0)`.
///
/// The name of this method is `scipy-polyphase`. The rate is multiplied by a whole number and
/// divided by another. A low-pass filter, which reaches over 10 periods of the lower rate on each
/// side, removes what the lower rate can't represent.
package struct PolyphaseResampler: Sendable {
  /// What the rate is multiplied by.
  package let up: Int
  /// What the rate is divided by.
  package let down: Int
  /// The filter's coefficients, by the phase of an output sample: for each phase, those of
  /// successive input samples.
  private let taps: [Double]
  private let tapsPerPhase: Int
  private let halfLength: Int

  /// The largest factor, which limits the memory of the filter to about 30 MB.
  private static let largestFactor = 192_000

  /// Makes a filter.
  ///
  /// - Parameters:
  ///   - source: The rate of the samples, in hertz.
  ///   - target: The rate of the result, in hertz.
  /// - Throws: ``AudioError`` for a rate that isn't supported.
  package init(from source: Int, to target: Int) throws(AudioError) {
    try AudioError.check("source", source, 1...(1 << 30))
    try AudioError.check("target", target, 1...(1 << 30))
    let divisor = Self.greatestCommonDivisor(source, target)
    (up, down) = (target / divisor, source / divisor)
    guard max(up, down) <= Self.largestFactor else {
      throw AudioError(
        "Samples can't be converted from \(source) Hz to \(target) Hz, because the rates' largest "
          + "common divisor is \(divisor) Hz. Use a rate with a larger one, such as 16000 or 44100."
      )
    }
    halfLength = 10 * max(up, down)
    let filter = Self.filter(halfLength: halfLength, cutoff: 1 / Double(max(up, down)), gain: up)
    // Between two input samples, there are `up` positions for output samples. For each of these
    // phases, the filter's coefficients that meet input samples are `up` apart.
    tapsPerPhase = (filter.count + up - 1) / up
    var taps = [Double](repeating: 0, count: up * tapsPerPhase)
    for (index, value) in filter.enumerated() {
      // Later input samples have earlier coefficients.
      taps[index % up * tapsPerPhase + tapsPerPhase - 1 - index / up] = value
    }
    self.taps = taps
  }

  /// Returns the number of samples of the result.
  package func count(_ samples: Int) -> Int {
    let (whole, rest) = max(samples, 0).quotientAndRemainder(dividingBy: down)
    let (product, overflow) = whole.multipliedReportingOverflow(by: up)
    return overflow ? .max : product + (rest * up + down - 1) / down
  }

  /// Returns the samples at the new rate.
  ///
  /// - Throws: ``AudioError`` if the result would have more than 2³⁰ samples.
  package func resample(_ samples: Span<Float>) throws(AudioError) -> [Float] {
    let count = count(samples.count)
    guard count <= 1 << 30 else {
      throw AudioError("The recording would have \(count) samples. Use a lower rate.")
    }
    var result: [Float] = []
    result.reserveCapacity(count)
    if up == down {
      for index in 0..<samples.count { result.append(samples[index]) }
      return result
    }
    let taps = taps.span
    for index in 0..<count {
      // The filter's coefficient j meets the input sample (position - j) / up.
      let position = index * down + halfLength
      let last = position / up
      let first = last - tapsPerPhase + 1
      let row = position % up * tapsPerPhase
      var sum = 0.0
      for input in max(first, 0)..<max(min(last + 1, samples.count), max(first, 0)) {
        sum += Double(samples[input]) * taps[row + input - first]
      }
      result.append(Float(sum))
    }
    return result
  }

  // MARK: - Filter

  /// Returns a windowed sinc as `scipy.signal.firwin` does, times a gain.
  private static func filter(halfLength: Int, cutoff: Double, gain: Int) -> [Double] {
    let beta = 5.0
    let scale = bessel(beta)
    var filter: [Double] = []
    filter.reserveCapacity(2 * halfLength + 1)
    for index in -halfLength...halfLength {
      let x = Double(index)
      let angle = Double.pi * cutoff * x
      let sinc = index == 0 ? 1 : sin(angle) / angle
      let place = x / Double(halfLength)
      filter.append(cutoff * sinc * bessel(beta * (1 - place * place).squareRoot()) / scale)
    }
    let sum = filter.reduce(0, +)
    // SciPy rounds the coefficients of float32 samples to float32, before the gain.
    return filter.map { Double(Float($0 / sum) * Float(gain)) }
  }

  /// Returns the modified Bessel function of the first kind of order 0, from its power series.
  private static func bessel(_ x: Double) -> Double {
    let square = x * x / 4
    var (term, sum, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= square / (index * index)
      sum += term
      index += 1
    }
    return sum
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
