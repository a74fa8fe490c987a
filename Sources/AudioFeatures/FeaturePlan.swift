// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The stages of a front end, with their tables.
struct FeaturePlan: Sendable {
  /// What happens to each frame's values.
  private enum Stage: Sendable {
    case matrix(BandMatrix)
    case logarithm(LogScale)
  }

  private enum Source: Sendable {
    case spectrum(ShortTimeTransform)
    case micro(MicroSpeech)
    case samples
  }

  private let source: Source
  private var stages: [Stage] = []
  /// The number of values of a frame.
  private(set) var bins: Int
  /// The largest number of values that a stage takes or gives.
  private var room = 0

  init(_ method: AudioFrontEnd.Method, sampleRate: Int) throws(AudioError) {
    switch method {
    case .samples: (source, bins) = (.samples, 1)
    case .microSpeech(let parameters):
      let micro = try MicroSpeech(parameters, sampleRate: sampleRate)
      (source, bins) = (.micro(micro), micro.channels)
    case .tensorFlow(let parameters):
      let spectrum = try ShortTimeTransform(parameters)
      (source, bins) = (.spectrum(spectrum), spectrum.transform.frequencies)
      try add(parameters, sampleRate)
    case .librosa(let parameters):
      let spectrum = try ShortTimeTransform(parameters)
      (source, bins) = (.spectrum(spectrum), spectrum.transform.frequencies)
      try add(parameters, sampleRate)
    case .speechCommands(let parameters):
      let spectrum = try ShortTimeTransform(parameters)
      (source, bins) = (.spectrum(spectrum), spectrum.transform.frequencies)
      try add(parameters, sampleRate)
    }
  }

  func frameCount(_ samples: Int) -> Int {
    switch source {
    case .spectrum(let transform): transform.frameCount(samples)
    case .micro(let micro): micro.frameCount(samples)
    case .samples: samples
    }
  }

  // MARK: - Run

  /// Computes the features of the frames in a range.
  ///
  /// A logarithm that depends on the largest value takes it from all frames.
  func features(_ samples: Span<Float>, _ range: Range<Int>) -> [Float] {
    switch source {
    case .micro(let micro): return micro.features(AudioSamples.integers(samples).span, range)
    case .spectrum(let transform): return features(samples, range, of: transform)
    case .samples: return range.map { samples[$0] }
    }
  }

  private func features(
    _ samples: Span<Float>, _ range: Range<Int>, of transform: ShortTimeTransform
  ) -> [Float] {
    let split = stages.firstIndex { stage in
      if case .logarithm(let scale) = stage { scale.isRelative } else { false }
    }
    guard let split, case .logarithm(let scale) = stages[split] else {
      return rows(of: transform, samples, range, stages[...])
    }
    let all = 0..<transform.frameCount(samples.count)
    var values = rows(of: transform, samples, all, stages[...split])
    scale.complete(&values)
    let width = values.count / max(all.count, 1)
    let last = stages[(split + 1)...]
    if last.isEmpty {
      return Array(values[(range.lowerBound * width)..<(range.upperBound * width)])
    }
    var row = [Double](repeating: 0, count: room)
    var memory = row
    var result: [Float] = []
    result.reserveCapacity(range.count * bins)
    for frame in range {
      for column in 0..<width { row[column] = Double(values[frame * width + column]) }
      run(last, &row, width, &memory, &result)
    }
    return result
  }

  private func rows(
    of transform: ShortTimeTransform, _ samples: Span<Float>, _ range: Range<Int>,
    _ stages: ArraySlice<Stage>
  ) -> [Float] {
    var result: [Float] = []
    var memory = [Double](repeating: 0, count: room)
    let width = transform.transform.frequencies
    transform.forEachFrame(range, of: samples, room: room) { spectrum in
      let isFirst = result.isEmpty
      run(stages, &spectrum, width, &memory, &result)
      if isFirst { result.reserveCapacity(result.count * range.count) }
    }
    return result
  }

  private func run(
    _ stages: ArraySlice<Stage>, _ row: inout [Double], _ width: Int, _ memory: inout [Double],
    _ result: inout [Float]
  ) {
    var width = width
    for stage in stages {
      switch stage {
      case .matrix(let matrix):
        matrix.apply(to: &row, result: &memory)
        width = matrix.rows
      case .logarithm(let scale): scale.apply(to: &row, count: width)
      }
    }
    for column in 0..<width { result.append(Float(row[column])) }
  }

  // MARK: - Stages

  private mutating func add(_ matrix: BandMatrix) {
    stages.append(.matrix(matrix))
    room = max(room, matrix.rows, bins)
    bins = matrix.rows
  }

  private mutating func add(_ scale: LogScale) throws(AudioError) {
    try scale.check()
    stages.append(.logarithm(scale))
  }

  private mutating func add(
    _ parameters: TensorFlowFeatures, _ sampleRate: Int
  ) throws(AudioError) {
    if let mel = parameters.mel {
      try AudioError.check("num_mel_bins", mel.bands, Self.bands)
      try Self.check("lower_edge_hertz", mel.lower, "upper_edge_hertz", mel.upper, sampleRate)
      add(
        .tensorFlowMel(
          bands: mel.bands, frequencies: bins, sampleRate: sampleRate, lower: Float(mel.lower),
          upper: Float(mel.upper)))
    }
    if let log = parameters.log { try add(log) }
    if let count = parameters.coefficients {
      try Self.check("coefficients", count, bins)
      add(.cosine(coefficients: count, length: bins, isOrthonormal: false))
    }
  }

  private mutating func add(_ parameters: LibrosaFeatures, _ sampleRate: Int) throws(AudioError) {
    if let mel = parameters.mel {
      let upper = mel.upper ?? Double(sampleRate) / 2
      try AudioError.check("n_mels", mel.bands, Self.bands)
      try Self.check("fmin", mel.lower, "fmax", upper, sampleRate)
      add(
        .librosaMel(
          bands: mel.bands, length: parameters.fftLength, sampleRate: sampleRate, lower: mel.lower,
          upper: upper, scale: mel.scale, isNormalized: mel.isNormalized))
    }
    if let log = parameters.log { try add(log) }
    if let count = parameters.coefficients {
      try Self.check("n_mfcc", count, bins)
      try AudioError.check("lifter", parameters.lifter, 0...1e6)
      add(
        .cosine(
          coefficients: count, length: bins, isOrthonormal: true, lifter: parameters.lifter))
    }
  }

  private mutating func add(
    _ parameters: SpeechCommandsFeatures, _ sampleRate: Int
  ) throws(AudioError) {
    guard let mfcc = parameters.mfcc else { return }
    try AudioError.check("filterbank_channel_count", mfcc.channels, Self.bands)
    try Self.check("dct_coefficient_count", mfcc.coefficients, mfcc.channels)
    try Self.check(
      "lower_frequency_limit", mfcc.lower, "upper_frequency_limit", mfcc.upper, sampleRate)
    add(
      .mfccMel(
        bands: mfcc.channels, frequencies: bins, sampleRate: sampleRate, lower: mfcc.lower,
        upper: mfcc.upper))
    try add(.natural(above: 1e-12))
    add(.cosine(coefficients: mfcc.coefficients, length: bins, isOrthonormal: false))
  }

  /// The numbers of filters that are allowed.
  private static let bands = 1...4096

  /// Checks a number of coefficients, which limits the memory of the cosine transform.
  private static func check(_ name: String, _ count: Int, _ length: Int) throws(AudioError) {
    try AudioError.check(name, count, 1...min(length, (1 << 22) / length))
  }

  private static func check(
    _ lowerName: String, _ lower: Double, _ upperName: String, _ upper: Double, _ sampleRate: Int
  ) throws(AudioError) {
    try AudioError.check(upperName, upper, 1...max(Double(sampleRate) / 2, 1))
    guard lower >= 0, Float(lower) < Float(upper) else {
      throw AudioError(
        "'\(lowerName)' must be from 0 to '\(upperName)', which is \(upper), but it is \(lower).")
    }
  }
}
