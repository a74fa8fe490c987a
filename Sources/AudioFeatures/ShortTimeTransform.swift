// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Cuts a recording into frames, and computes each frame's spectrum.
struct ShortTimeTransform: Sendable {
  /// What precedes the recording and follows it.
  enum Padding: Sendable {
    case none
    /// Half a frame of zeros on both sides.
    case zeros
    /// Half a frame of the recording's mirror image on both sides.
    case reflection
    /// Zeros at the end, so that every sample starts a frame whose start is a multiple of the step.
    case zerosAtEnd
  }

  let window: [Double]
  let step: Int
  let padding: Padding
  let transform: RealTransform
  /// The power of the magnitude: 1, 2 or another positive number.
  let power: Double

  /// The number of samples between a frame's start and the position that it stands for.
  private var lead: Int {
    switch padding {
    case .none, .zerosAtEnd: 0
    case .zeros, .reflection: window.count / 2
    }
  }

  func frameCount(_ samples: Int) -> Int {
    guard samples > 0 else { return 0 }
    if padding == .zerosAtEnd { return (samples - 1) / step + 1 }
    let padded = samples + 2 * lead
    return padded < window.count ? 0 : (padded - window.count) / step + 1
  }

  /// Computes the spectrum of every frame, and passes it to a closure.
  ///
  /// The closure gets the spectrum, in an array of at least `room` numbers, which it may overwrite.
  func forEachFrame(
    _ range: Range<Int>, of samples: Span<Float>, room: Int, _ body: (inout [Double]) -> Void
  ) {
    var memory = transform.makeMemory()
    var frame = [Double](repeating: 0, count: transform.length)
    var spectrum = [Double](repeating: 0, count: max(transform.frequencies, room))
    for index in range {
      let start = index * step - lead
      let isInside = start >= 0 && start + window.count <= samples.count
      for offset in window.indices {
        let sample = isInside ? samples[start + offset] : padded(samples, start + offset)
        frame[offset] = Double(sample) * window[offset]
      }
      transform.computePower(of: frame.span, into: &spectrum, memory: &memory)
      if power == 1 {
        for bin in 0..<transform.frequencies { spectrum[bin] = spectrum[bin].squareRoot() }
      } else if power != 2 {
        for bin in 0..<transform.frequencies { spectrum[bin] = pow(spectrum[bin], power / 2) }
      }
      body(&spectrum)
    }
  }

  private func padded(_ samples: Span<Float>, _ index: Int) -> Float {
    if index >= 0 && index < samples.count { return samples[index] }
    guard padding == .reflection else { return 0 }
    // The mirror image doesn't repeat the first and the last sample. It repeats with this period.
    let period = 2 * (samples.count - 1)
    guard period > 0 else { return samples[0] }
    let place = (index % period + period) % period
    return samples[min(place, period - place)]
  }

  // MARK: - Windows

  /// Returns Hann's window.
  ///
  /// - Parameters:
  ///   - length: The number of coefficients.
  ///   - period: The number of samples after which the window repeats: `length` for a periodic
  ///     window, `length - 1` for a symmetric one.
  /// - Returns: The coefficients.
  static func hann(_ length: Int, period: Int) -> [Double] {
    guard period > 0 else { return Array(repeating: 1, count: length) }
    return (0..<length).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(period)) }
  }

  /// Returns a window with zeros on both sides, as `librosa.util.pad_center` does.
  static func centred(_ window: [Double], in length: Int) -> [Double] {
    var result = [Double](repeating: 0, count: length)
    let left = (length - window.count) / 2
    for (index, value) in window.enumerated() { result[left + index] = value }
    return result
  }
}
