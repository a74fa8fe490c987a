// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
public import TensorIO

/// Divides a sound that goes on, such as a microphone's, into the overlapping windows of a model.
///
/// ```swift
/// var stream = try AudioStream(for: input, sampleRate: 48_000, every: 0.25)
/// for window in stream.append(samples) {
///   let outputs = try model.run(window)
/// }
/// ```
///
/// A window has as many samples as one run of the model needs. The next one starts the time that
/// `every` says later, and so they overlap if that is shorter than a window.
public struct AudioStream: Sendable {
  /// The number of samples of a window, at the rate of the stream.
  public let windowLength: Int
  /// The number of samples from the start of a window to that of the next.
  public let hop: Int
  /// The number of samples in a second.
  public let sampleRate: Int

  /// The samples that windows need which aren't complete yet.
  private var pending: [Float] = []
  /// How many samples come before the next window, if windows don't touch.
  private var skipped = 0

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - spec: An input of the type `audio`.
  ///   - sampleRate: The number of samples in a second. Windows are resampled to the rate of the layer.
  ///   - seconds: The time from one window to the next.
  /// - Throws: `TensorIOError` when the input takes no sound, or when a number isn't positive.
  public init(for spec: TensorSpec, sampleRate: Int, every seconds: Double) throws {
    let window = try spec.audioWindow()
    guard (1...10_000_000).contains(sampleRate) else {
      throw TensorIOError(
        .invalidOption, "The sample rate must be 1 to 10000000 hertz, got \(sampleRate).")
    }
    let hop = (seconds * Double(sampleRate)).rounded()
    guard hop >= 1, hop < 1e12 else {
      throw TensorIOError(
        .invalidOption,
        "The time between two windows must be at least one sample, got \(seconds) seconds.")
    }
    self.hop = Int(hop)
    self.sampleRate = sampleRate
    windowLength = window.sampleCount(at: sampleRate)
  }

  /// Adds samples.
  ///
  /// - Parameter samples: The next samples of one channel, from -1 to 1.
  /// - Returns: The windows that these samples complete, the oldest first.
  public mutating func append(_ samples: some Sequence<Float>) -> [AudioClip] {
    pending.append(contentsOf: samples)
    var windows: [AudioClip] = []
    var start = skipped
    while start + windowLength <= pending.count {
      windows.append(
        AudioClip(samples: Array(pending[start..<(start + windowLength)]), sampleRate: sampleRate))
      start += hop
    }
    let removed = min(start, pending.count)
    pending.removeFirst(removed)
    skipped = start - removed
    return windows
  }
}

/// The sound that one run of a model needs.
package struct AudioWindow: Sendable, Hashable {
  /// The number of samples, at the rate of the layer.
  package let samples: Int
  /// The number of samples in a second.
  package let sampleRate: Int

  /// Returns the number of samples at another rate that are resampled to at least `samples`.
  package func sampleCount(at rate: Int) -> Int {
    let (whole, rest) = (samples * rate).quotientAndRemainder(dividingBy: sampleRate)
    // Resampling rounds up, so that fewer samples suffice at a higher rate.
    return max(rest == 0 || rate > sampleRate ? whole : whole + 1, 1)
  }
}

extension TensorSpec {
  /// Returns the sound that one run of the model needs.
  ///
  /// - Throws: `TensorIOError` if this isn't an input of the type `audio`.
  package func audioWindow() throws -> AudioWindow {
    let coding = try coding("audio", for: AudioClip.self)
    do throws(AudioError) {
      let encoder = try coding.prepared { () throws(AudioError) in try AudioEncoder(coding) }
      return AudioWindow(
        samples: try encoder.sampleCount(for: self), sampleRate: encoder.sampleRate)
    } catch {
      throw TensorIOError(.invalidBundle, "'\(name)': \(error.message)", cause: error)
    }
  }
}
