// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import TensorIO

/// Turns recordings into the values of an input, as the fields of its layer describe.
struct AudioEncoder: Sendable {
  /// The maximum number of values of all windows together, which take 512 MB.
  private static let mostNumbers = 1 << 27

  private let frontEnd: AudioFrontEnd
  /// The number of rows from one window to the next; nil if a recording must have one window.
  private let step: Int?

  init(_ coding: LayerCoding) throws(AudioError) {
    var options = AudioFrontEnd.Options()
    options.sampleCount = coding.count("samples")
    if coding.text("preparation") == "divide-by-maximum" {
      options.preparation = .divideByMaximum
    }
    if let frames = coding.numbers("frames"), frames.count == 2 {
      guard frames[0] < frames[1] else {
        throw AudioError("The first of 'frames' must be less than the second.")
      }
      options.frames = Int(frames[0])..<Int(frames[1])
    }
    options.stacking = coding.count("stacking") ?? 1
    options.scale = coding.float("scale") ?? 1
    options.offset = coding.float("bias") ?? 0
    step = coding.count("step")
    frontEnd = try AudioFrontEnd(
      Self.method(coding), sampleRate: coding.count("sample_rate") ?? 0, options: options)
  }

  /// Returns the number of rows that an input takes.
  func rows(for spec: TensorSpec) throws(AudioError) -> Int {
    let bins = frontEnd.shape(sampleCount: frontEnd.options.sampleCount ?? 0).bins
    guard spec.elementCount.isMultiple(of: bins) else {
      throw AudioError(
        "The features have \(bins) values a row, but the shape \(spec.itemShape) has "
          + "\(spec.elementCount) values. Correct the shape or the features.")
    }
    let rows = spec.elementCount / bins
    if let samples = frontEnd.options.sampleCount {
      let frames = frontEnd.shape(sampleCount: samples).frames
      guard frames == rows || (frames > rows && step != nil) else {
        throw AudioError(
          "\(samples) samples give \(frames) x \(bins) features, but the shape \(spec.itemShape) "
            + "has \(spec.elementCount) values. Correct the shape, the features or \"samples\".")
      }
    }
    return rows
  }

  /// The rate of the samples, in hertz.
  var sampleRate: Int { frontEnd.sampleRate }

  /// Returns how many samples one run of the model needs, at the rate of the layer.
  func sampleCount(for spec: TensorSpec) throws(AudioError) -> Int {
    let rows = try rows(for: spec)
    if step == nil, let count = frontEnd.options.sampleCount { return count }
    let count = frontEnd.leastSamples(frames: rows)
    guard count <= 1 << 28 else {
      throw AudioError(
        "No recording of reasonable length has \(rows) rows of features. Correct the shape or \"frames\"."
      )
    }
    return count
  }

  /// Computes the rows of a recording that has the rate of the layer.
  func features(_ samples: [Float]) throws(AudioError) -> [Float] {
    try frontEnd.features(samples.span)
  }

  func shape(sampleCount: Int) -> (rows: Int, columns: Int) {
    let shape = frontEnd.shape(sampleCount: sampleCount)
    return (shape.frames, shape.bins)
  }

  func windows(_ clip: AudioClip, for spec: TensorSpec) throws(AudioError) -> [[Float]] {
    let rows = try rows(for: spec)
    var samples = try clip.samples(at: frontEnd.sampleRate)
    if step == nil, clip.sampleRate < frontEnd.sampleRate {
      // A window of a stream at a lower rate can't have exactly as many samples as a run needs.
      let excess = samples.count - (try sampleCount(for: spec))
      if excess > 0, (excess - 1) * clip.sampleRate < frontEnd.sampleRate {
        samples.removeLast(excess)
      }
    }
    let values = try features(samples)
    let bins = spec.elementCount / rows
    let frames = values.count / bins
    if frames == rows { return [values] }
    guard frames > rows, let step else {
      throw AudioError(
        "The recording has \(samples.count) samples at \(frontEnd.sampleRate) Hz, which give "
          + "\(frames) x \(bins) features, but the input takes \(rows) x \(bins). "
          + (frames > rows
            ? "Cut it, add \"samples\" to cut every recording, or add \"step\" to run on windows."
            : "Use a longer recording, or add \"samples\" to append silence."))
    }
    let count = (frames - rows) / step + 1
    guard count <= Self.mostNumbers / (rows * bins) else {
      throw AudioError(
        "The recording has \(count) windows of \(rows) x \(bins) features, which are more than "
          + "\(Self.mostNumbers) numbers. Cut it, or write a larger \"step\" in model.json.")
    }
    return stride(from: 0, through: frames - rows, by: step).map { first in
      Array(values[(first * bins)..<((first + rows) * bins)])
    }
  }
}

extension AudioClip {
  /// Returns the samples, resampled to another rate.
  func samples(at rate: Int) throws(AudioError) -> [Float] {
    guard rate != sampleRate else { return samples }
    return try PolyphaseResampler(from: sampleRate, to: rate).resample(samples.span)
  }
}
