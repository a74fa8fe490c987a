// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What turns a recording into the input of a model.
///
/// Each method gives the numbers of the Python library that it is named after. Its parameters are
/// checked when a front end is made.
package struct AudioFrontEnd: Sendable {
  /// The library that computes the features, and its parameters.
  package enum Method: Sendable {
    case tensorFlow(TensorFlowFeatures)
    case librosa(LibrosaFeatures)
    case speechCommands(SpeechCommandsFeatures)
    case microSpeech(MicroSpeechFeatures)
    /// The samples themselves.
    case samples
  }

  /// How the samples are prepared.
  package enum Preparation: String, Sendable, CaseIterable {
    case none
    /// Divides the samples by the largest one, which isn't the largest magnitude. Silence stays
    /// silence.
    case divideByMaximum = "divide-by-maximum"
  }

  /// What happens before and after the method.
  package struct Options: Sendable {
    /// The number of samples that the method gets; nil for recordings of any length.
    ///
    /// Zeros follow a shorter recording, and the end of a longer one is cut off.
    package var sampleCount: Int?
    package var preparation = Preparation.none
    /// The frames that are kept; nil for all.
    package var frames: Range<Int>?
    /// The number of successive frames that make one row of the result.
    package var stacking = 1
    /// What each result is multiplied by.
    package var scale: Float = 1
    /// What is added to each result after that.
    package var offset: Float = 0

    package init() {}
  }

  /// The shape of features: rows of numbers.
  package struct Shape: Sendable, Equatable {
    package let frames: Int
    package let bins: Int
    /// The number of values.
    package var count: Int { frames * bins }
  }

  package let method: Method
  /// The rate that samples must have, in hertz.
  package let sampleRate: Int
  package let options: Options
  private let plan: FeaturePlan

  /// The largest number of values, which limits a result to 512 MB.
  private static let mostValues = 1 << 27

  /// Checks the parameters, and computes the tables.
  ///
  /// - Throws: ``AudioError``.
  package init(
    _ method: Method, sampleRate: Int, options: Options = Options()
  ) throws(AudioError) {
    try AudioError.check("sample_rate", sampleRate, 1...10_000_000)
    try AudioError.check("stacking", options.stacking, 1...1024)
    if let count = options.sampleCount { try AudioError.check("samples", count, 1...(1 << 26)) }
    if let frames = options.frames {
      try AudioError.check("frames", frames.lowerBound, 0...(1 << 28))
      try AudioError.check("frames", frames.upperBound, 1...(1 << 28))
    }
    self.method = method
    self.sampleRate = sampleRate
    self.options = options
    plan = try FeaturePlan(method, sampleRate: sampleRate)
    if let count = options.sampleCount, shape(sampleCount: count).frames == 0 {
      throw AudioError("'samples' must be at least \(leastSamples()), but it is \(count).")
    }
  }

  /// Returns the shape of a recording's features.
  ///
  /// It has no frames if the recording is too short.
  package func shape(sampleCount: Int) -> Shape {
    shape(of: plan.frameCount(options.sampleCount ?? sampleCount))
  }

  private func shape(of all: Int) -> Shape {
    let kept = options.frames.map { min($0.upperBound, all) - $0.lowerBound } ?? all
    return Shape(
      frames: max(kept - options.stacking + 1, 0), bins: plan.bins * options.stacking)
  }

  /// Computes the features of a recording.
  ///
  /// - Parameter samples: The samples of one channel, from -1 to 1.
  /// - Returns: The rows one after the other, of the shape that ``shape(sampleCount:)`` returns.
  /// - Throws: ``AudioError`` if the recording is too short or too long.
  package func features(_ samples: Span<Float>) throws(AudioError) -> [Float] {
    let shape = shape(sampleCount: samples.count)
    guard shape.frames > 0 else {
      throw AudioError(
        "The recording has \(samples.count) samples, which is too short for the features. It needs "
          + "\(leastSamples()) samples.")
    }
    let all = plan.frameCount(options.sampleCount ?? samples.count)
    guard max(all, shape.frames * options.stacking) <= Self.mostValues / plan.bins else {
      throw AudioError(
        "The recording has \(samples.count) samples, whose features would have \(all) x "
          + "\(shape.bins) values. Use a shorter recording or a larger step.")
    }
    let first = options.frames?.lowerBound ?? 0
    let range = first..<(first + shape.frames + options.stacking - 1)
    var values: [Float]
    if let prepared = prepared(samples) {
      values = plan.features(prepared.span, range)
    } else {
      values = plan.features(samples, range)
    }
    if options.scale != 1 || options.offset != 0 {
      for index in values.indices { values[index] = values[index] * options.scale + options.offset }
    }
    return options.stacking == 1 ? values : stacked(values, shape)
  }

  /// Returns the number of samples of the shortest recording that has as many frames.
  package func leastSamples(frames: Int = 1) -> Int {
    var (low, high) = (0, 1 << 40)
    while high - low > 1 {
      let middle = (low + high) / 2
      if shape(of: plan.frameCount(middle)).frames >= frames { high = middle } else { low = middle }
    }
    return high
  }

  /// Returns the samples that the method gets, or nil if they are those of the recording.
  private func prepared(_ samples: Span<Float>) -> [Float]? {
    let count = options.sampleCount ?? samples.count
    guard count != samples.count || options.preparation != .none else { return nil }
    var result = [Float](repeating: 0, count: count)
    let known = min(count, samples.count)
    var divisor: Float = 1
    if options.preparation == .divideByMaximum && known > 0 {
      divisor = samples[0]
      for index in 1..<known { divisor = max(divisor, samples[index]) }
      if divisor == 0 { divisor = 1 }
    }
    for index in 0..<known { result[index] = samples[index] / divisor }
    return result
  }

  /// Returns rows that each have the values of successive frames.
  private func stacked(_ values: [Float], _ shape: Shape) -> [Float] {
    var result: [Float] = []
    result.reserveCapacity(shape.count)
    for frame in 0..<shape.frames {
      let start = frame * plan.bins
      result.append(contentsOf: values[start..<(start + shape.bins)])
    }
    return result
  }
}
