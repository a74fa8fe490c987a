// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import Testing

@Suite struct AudioFrontEndTests {
  private func tensorFlow(
    _ length: Int = 480, _ step: Int = 320, _ change: (inout TensorFlowFeatures) -> Void = { _ in }
  ) -> AudioFrontEnd.Method {
    var features = TensorFlowFeatures(frameLength: length, frameStep: step)
    change(&features)
    return .tensorFlow(features)
  }

  private func librosa(_ change: (inout LibrosaFeatures) -> Void) -> AudioFrontEnd.Method {
    var features = LibrosaFeatures()
    change(&features)
    return .librosa(features)
  }

  private func micro(_ change: (inout MicroSpeechFeatures) -> Void) -> AudioFrontEnd.Method {
    var features = MicroSpeechFeatures()
    change(&features)
    return .microSpeech(features)
  }

  private func message(_ method: AudioFrontEnd.Method) -> String? {
    do {
      _ = try AudioFrontEnd(method, sampleRate: 16000)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `wrong parameters are errors that name them`() {
    let mel = TensorFlowFeatures.Mel()
    let messages: [(AudioFrontEnd.Method, String)] = [
      (tensorFlow(0), "'frame_length' must be from 1 to 65536, but it is 0."),
      (tensorFlow(480, 0), "'frame_step' must be from 1 to 268435456, but it is 0."),
      (tensorFlow { $0.fftLength = 481 }, "'fft_length' must be even, but it is 481."),
      (
        tensorFlow { $0.fftLength = 400 },
        "'fft_length' must be at least 'frame_length', which is 480, but it is 400."
      ),
      (tensorFlow { $0.power = .nan }, "'power' must be from 0.001 to 16.0, but it is nan."),
      (
        tensorFlow { $0.mel = .init(upper: 8001) },
        "'upper_edge_hertz' must be from 1.0 to 8000.0, but it is 8001.0."
      ),
      (
        tensorFlow { $0.mel = .init(lower: 3800) },
        "'lower_edge_hertz' must be from 0 to 'upper_edge_hertz', which is 3800.0, but it is "
          + "3800.0."
      ),
      (
        tensorFlow { $0.log = .natural(plus: 0) },
        "The logarithm of silence isn't a number. Use a positive 'offset' or 'amin'."
      ),
      (
        tensorFlow { ($0.mel, $0.coefficients) = (mel, 21) },
        "'coefficients' must be from 1 to 20, but it is 21."
      ),
      (librosa { $0.hopLength = 0 }, "'hop_length' must be from 1 to 268435456, but it is 0."),
      (
        librosa { $0.windowLength = 2049 },
        "'n_fft' must be at least 'win_length', which is 2049, but it is 2048."
      ),
      (
        librosa { $0.log = .decibels(range: -1) },
        "'top_db' must be from 0.0 to 1000000.0, but it is -1.0."
      ),
      (micro { $0.channels = 0 }, "'num_channels' must be from 1 to 1024, but it is 0."),
      (
        micro { $0.upperBandLimit = 8100 },
        "'upper_band_limit' must be less than half the sample rate, which is 8000, but it is "
          + "8100.0."
      ),
      (
        micro { $0.gainBits = 3 },
        "'gain_bits' must be at least 15, and 'smoothing_bits' at least 3, for windows of this "
          + "length. They are 3 and 10."
      ),
    ]
    for (method, expected) in messages { #expect(message(method) == expected) }
  }

  @Test func `a recording that is too short says how many samples it needs`() throws {
    let frontEnd = try AudioFrontEnd(tensorFlow(), sampleRate: 16000)
    #expect(frontEnd.shape(sampleCount: 479).frames == 0)
    #expect(frontEnd.shape(sampleCount: 480) == frontEnd.shape(sampleCount: 799))
    #expect(frontEnd.shape(sampleCount: 800).count == 2 * 257)
    let error = #expect(throws: AudioError.self) {
      try frontEnd.features([Float](repeating: 0, count: 479).span)
    }
    #expect(
      error?.message
        == "The recording has 479 samples, which is too short for the features. It needs 480 "
        + "samples."
    )
    var options = AudioFrontEnd.Options()
    (options.frames, options.stacking, options.sampleCount) = (2..<9, 3, 1759)
    let fixed = #expect(throws: AudioError.self) {
      try AudioFrontEnd(tensorFlow(), sampleRate: 16000, options: options)
    }
    #expect(fixed?.message == "'samples' must be at least 1760, but it is 1759.")
  }

  @Test func `a result that is too large is an error`() throws {
    let frontEnd = try AudioFrontEnd(tensorFlow(2, 1) { $0.fftLength = 1 << 16 }, sampleRate: 16000)
    let error = #expect(throws: AudioError.self) {
      try frontEnd.features([Float](repeating: 0, count: 5000).span)
    }
    #expect(error?.message.contains("4999 x 32769 values") == true)
  }

  @Test func `frames are kept, stacked and scaled`() throws {
    let recording = Recording.all[10]
    let method = tensorFlow()
    let all = try AudioFrontEnd(method, sampleRate: 16000).features(recording.samples.span)
    var options = AudioFrontEnd.Options()
    (options.frames, options.stacking) = (3..<8, 2)
    (options.scale, options.offset) = (2, -1)
    let frontEnd = try AudioFrontEnd(method, sampleRate: 16000, options: options)
    let some = try frontEnd.features(recording.samples.span)
    let rows = (3..<7).flatMap { all[($0 * 257)..<(($0 + 2) * 257)] }
    #expect(some == rows.map { 2 * $0 - 1 })
    #expect(frontEnd.shape(sampleCount: 16000).count == some.count)
  }

  @Test func `numbers that aren't finite spoil only their frames`() throws {
    var samples = Recording.all[7].samples
    (samples[100], samples[9000]) = (.nan, .infinity)
    for method in [tensorFlow(), librosa { $0.log = .decibels() }, micro { _ in }] {
      let frontEnd = try AudioFrontEnd(method, sampleRate: 16000)
      let shape = frontEnd.shape(sampleCount: samples.count)
      #expect(try frontEnd.features(samples.span).count == shape.count)
    }
    let values = try AudioFrontEnd(tensorFlow(), sampleRate: 16000).features(samples.span)
    #expect(values[(5 * 257)..<(6 * 257)].allSatisfy { $0.isFinite })
  }
}
