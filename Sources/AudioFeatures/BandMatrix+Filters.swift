// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension BandMatrix {
  /// Returns the filters of `tf.signal.linear_to_mel_weight_matrix`.
  ///
  /// The arithmetic is TensorFlow's, in 32 bits, because the weight of a frequency near the edge of
  /// a filter depends on rounding.
  static func tensorFlowMel(
    bands: Int, frequencies: Int, sampleRate: Int, lower: Float, upper: Float
  ) -> BandMatrix {
    func mel(_ frequency: Float) -> Float { 1127 * logf(1 + frequency / 700) }
    func evenly(_ from: Float, _ to: Float, _ count: Int) -> [Float] {
      let delta = (to - from) / Float(max(count - 1, 1))
      return (0..<count).map { $0 == count - 1 && $0 > 0 ? to : from + delta * Float($0) }
    }
    let edges: [Float] = evenly(mel(lower), mel(upper), bands + 2)
    let places: [Float] = evenly(0, Float(sampleRate) / 2, frequencies).dropFirst().map(mel)
    var matrix = BandMatrix()
    for band in 0..<bands {
      let (left, centre, right) = (edges[band], edges[band + 1], edges[band + 2])
      let row = places.lazy.map { place -> Double in
        let rising = (place - left) / (centre - left)
        let falling = (right - place) / (right - centre)
        return Double(max(0, min(rising, falling)))
      }
      matrix.append(row, from: 1)
    }
    return matrix
  }

  /// Returns the filters of `librosa.filters.mel`.
  static func librosaMel(
    bands: Int, length: Int, sampleRate: Int, lower: Double, upper: Double, scale: MelScale,
    isNormalized: Bool
  ) -> BandMatrix {
    let (low, high) = (scale.mel(lower), scale.mel(upper))
    let step = (high - low) / Double(bands + 1)
    let edges: [Double] = (0..<(bands + 2)).map { index in
      scale.frequency(index == bands + 1 ? high : low + step * Double(index))
    }
    var matrix = BandMatrix()
    for band in 0..<bands {
      let (left, centre, right) = (edges[band], edges[band + 1], edges[band + 2])
      let gain = isNormalized ? 2 / (right - left) : 1
      let row = (0...(length / 2)).lazy.map { bin -> Double in
        let frequency = Double(bin) * Double(sampleRate) / Double(length)
        let rising = (frequency - left) / (centre - left)
        let falling = (right - frequency) / (right - centre)
        return Double(Float(Double(Float(max(0, min(rising, falling)))) * gain))
      }
      matrix.append(row)
    }
    return matrix
  }

  /// Returns the filters of `tf.raw_ops.Mfcc`.
  ///
  /// Each frequency is shared by two neighbouring filters, in proportion to its distances from
  /// their centres.
  static func mfccMel(
    bands: Int, frequencies: Int, sampleRate: Int, lower: Double, upper: Double
  ) -> BandMatrix {
    func mel(_ frequency: Double) -> Double { 1127 * log1p(frequency / 700) }
    let spacing = (mel(upper) - mel(lower)) / Double(bands + 1)
    let low = mel(lower)
    let centres: [Double] = (0...bands).map { low + spacing * Double($0 + 1) }
    let width = 0.5 * Double(sampleRate) / Double(frequencies - 1)
    let first = Int(1.5 + lower / width)
    let last = min(Int(upper / width), frequencies - 1)
    var rows = [[Double]](repeating: [], count: bands)
    var starts = [Int](repeating: 0, count: bands)
    func add(_ weight: Double, _ bin: Int, to band: Int) {
      guard rows.indices.contains(band) else { return }
      if rows[band].isEmpty { starts[band] = bin }
      rows[band].append(weight)
    }
    var next = 0
    for bin in first..<max(last + 1, first) {
      let place = mel(Double(bin) * width)
      while next < bands && centres[next] < place { next += 1 }
      let before = next == 0 ? low : centres[next - 1]
      let share = (centres[next] - place) / (centres[next] - before)
      add(share, bin, to: next - 1)
      add(1 - share, bin, to: next)
    }
    var matrix = BandMatrix()
    for band in 0..<bands { matrix.append(rows[band], from: starts[band]) }
    return matrix
  }

  /// Returns a cosine transform (DCT-II), of which only the first coefficients are computed.
  ///
  /// - Parameters:
  ///   - coefficients: The number of results.
  ///   - length: The number of values that are transformed.
  ///   - isOrthonormal: Whether the first coefficient is divided by √2, as in an orthonormal
  ///     transform. HTK and TensorFlow don't divide it.
  ///   - lifter: The `lifter` of `librosa.feature.mfcc`; 0 for none.
  /// - Returns: A matrix with a row for each coefficient.
  static func cosine(
    coefficients: Int, length: Int, isOrthonormal: Bool, lifter: Double = 0
  ) -> BandMatrix {
    let norm = (2 / Double(length)).squareRoot()
    var matrix = BandMatrix()
    for index in 0..<coefficients {
      var scale = index == 0 && isOrthonormal ? norm / 2.squareRoot() : norm
      if lifter > 0 { scale *= 1 + lifter / 2 * sin(Double.pi * Double(index + 1) / lifter) }
      let step = Double.pi * Double(index) / Double(length)
      matrix.append((0..<length).lazy.map { scale * cos(step * (Double($0) + 0.5)) })
    }
    return matrix
  }
}
