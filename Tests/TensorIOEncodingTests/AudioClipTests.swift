// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import Foundation
import TensorIO
import TensorIOEncoding
import TensorIOLiteRT
import Testing

struct AudioClipTests {
  private static let fixtures = FileManager.default.currentDirectoryPath + "/Tests/Fixtures/"

  /// Samples that are different in each frame.
  private static let samples: [Float] = (0..<16_000).map { index in
    let time = Double(index) / 16_000
    return Float(0.4 * sin(2 * .pi * (200 + 900 * time) * time) + 0.1 * sin(Double(index * index)))
  }

  /// Makes a model that returns its input, [1, 8, 6, 3] numbers, from a bundle with these fields.
  private func model(_ fields: String) throws -> any Model {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "encoding-\(UUID().uuidString)/audio.tiobundle")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Self.fixtures + "Models/identity_image.tflite",
      toPath: folder.path + "/model.tflite")
    let document = """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "sound", "type": "audio", "shape": [1, 8, 18], \(fields)}],
       "outputs": [{"name": "echo", "type": "array", "shape": [1, 8, 18]}]}
      """
    try Data(document.utf8).write(to: folder.appending(path: "model.json"))
    return try ModelLoader(backends: [.liteRT]).model(at: folder.path)
  }

  private func echo(
    _ fields: String, _ clip: AudioClip = AudioClip(samples: samples, sampleRate: 16_000)
  ) throws -> [Float] {
    try model(fields).run(clip)["echo"]
  }

  private func message(_ fields: String, samples count: Int = 16_000) -> String? {
    let clip = AudioClip(samples: Array(Self.samples.prefix(count)), sampleRate: 16_000)
    do {
      _ = try echo(fields, clip)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: - Features

  @Test func `all keys of tensorflow's features reach the front end`() throws {
    var features = TensorFlowFeatures(frameLength: 400, frameStep: 300)
    (features.fftLength, features.padEnd, features.power) = (600, true, 1.5)
    features.mel = .init(bands: 30, lower: 60, upper: 5000)
    (features.log, features.coefficients) = (.decimal(plus: 0.01, times: 3), 18)
    var options = AudioFrontEnd.Options()
    (options.sampleCount, options.frames) = (9000, 2..<10)
    (options.preparation, options.scale, options.offset) = (.divideByMaximum, 0.5, -1)
    let expected = try AudioFrontEnd(.tensorFlow(features), sampleRate: 16_000, options: options)
      .features(Self.samples.span)
    let found = try echo(
      """
      "sample_rate": 16000, "samples": 9000, "frames": [2, 10], "preparation": "divide-by-maximum",
      "scale": 0.5, "bias": -1,
      "features": {"type": "tensorflow", "frame_length": 400, "frame_step": 300, "fft_length": 600,
        "pad_end": true, "power": 1.5, "num_mel_bins": 30, "lower_edge_hertz": 60,
        "upper_edge_hertz": 5000, "log": "decimal", "offset": 0.01, "multiplier": 3,
        "coefficients": 18}
      """)
    #expect(found == expected)
  }

  @Test func `all keys of librosa's features reach the front end`() throws {
    var features = LibrosaFeatures()
    (features.fftLength, features.hopLength, features.windowLength) = (512, 250, 400)
    (features.isCentred, features.padMode, features.power) = (true, .reflect, 1)
    features.mel = .init(bands: 25, lower: 80, upper: 6000, scale: .htk, isNormalized: false)
    features.log = .decibels(reference: .maximum, minimum: 1e-4, range: 50)
    (features.coefficients, features.lifter) = (9, 12)
    var options = AudioFrontEnd.Options()
    (options.frames, options.stacking) = (0..<9, 2)
    let expected = try AudioFrontEnd(.librosa(features), sampleRate: 16_000, options: options)
      .features(Self.samples.span)
    let found = try echo(
      """
      "sample_rate": 16000, "frames": [0, 9], "stacking": 2,
      "features": {"type": "librosa", "n_fft": 512, "hop_length": 250, "win_length": 400,
        "center": true, "pad_mode": "reflect", "power": 1, "n_mels": 25, "fmin": 80, "fmax": 6000,
        "htk": true, "norm": "none", "log": "decibels", "ref": "max", "amin": 1e-4, "top_db": 50,
        "n_mfcc": 9, "lifter": 12}
      """)
    #expect(found == expected)
  }

  @Test func `a cepstrum of librosa has librosa's defaults`() throws {
    var features = LibrosaFeatures()
    features.mel = .init()
    (features.log, features.coefficients) = (.decibels(), 18)
    var options = AudioFrontEnd.Options()
    options.frames = 0..<8
    let expected = try AudioFrontEnd(.librosa(features), sampleRate: 16_000, options: options)
      .features(Self.samples.span)
    let found = try echo(
      """
      "sample_rate": 16000, "frames": [0, 8], "features": {"type": "librosa", "n_mfcc": 18}
      """)
    #expect(found == expected)
  }

  @Test func `all keys of speech_commands's features reach the front end`() throws {
    var features = SpeechCommandsFeatures(windowSize: 640, stride: 480)
    features.magnitudeSquared = true
    features.mfcc = .init(upper: 5000, lower: 100, channels: 30, coefficients: 18)
    var options = AudioFrontEnd.Options()
    options.frames = 1..<9
    let expected = try AudioFrontEnd(
      .speechCommands(features), sampleRate: 16_000, options: options
    ).features(Self.samples.span)
    let found = try echo(
      """
      "sample_rate": 16000, "frames": [1, 9],
      "features": {"type": "speech-commands", "window_size": 640, "stride": 480,
        "magnitude_squared": true, "dct_coefficient_count": 18, "filterbank_channel_count": 30,
        "lower_frequency_limit": 100, "upper_frequency_limit": 5000}
      """)
    #expect(found == expected)
  }

  @Test func `all keys of the micro front end reach it`() throws {
    var features = MicroSpeechFeatures()
    (features.windowSize, features.windowStep, features.channels) = (30, 20, 6)
    (features.upperBandLimit, features.lowerBandLimit) = (6000, 100)
    (features.smoothingBits, features.evenSmoothing, features.oddSmoothing) = (12, 0.1, 0.2)
    (features.minSignalRemaining, features.enablePCAN) = (0.3, true)
    (features.pcanStrength, features.pcanOffset, features.gainBits) = (0.5, 60, 22)
    (features.enableLog, features.scaleShift) = (true, 5)
    (features.leftContext, features.rightContext, features.frameStride) = (1, 1, 2)
    (features.zeroPadding, features.outScale, features.outType) = (true, 3, .float)
    var options = AudioFrontEnd.Options()
    options.frames = 4..<12
    let expected = try AudioFrontEnd(.microSpeech(features), sampleRate: 16_000, options: options)
      .features(Self.samples.span)
    let found = try echo(
      """
      "sample_rate": 16000, "frames": [4, 12],
      "features": {"type": "micro-speech", "window_size": 30, "window_step": 20, "num_channels": 6,
        "upper_band_limit": 6000, "lower_band_limit": 100, "smoothing_bits": 12,
        "even_smoothing": 0.1, "odd_smoothing": 0.2, "min_signal_remaining": 0.3,
        "enable_pcan": true, "pcan_strength": 0.5, "pcan_offset": 60, "gain_bits": 22,
        "enable_log": true, "scale_shift": 5, "left_context": 1, "right_context": 1,
        "frame_stride": 2, "zero_padding": true, "out_scale": 3, "out_type": "float"}
      """)
    #expect(found == expected)
    #expect(Set(found).count > 20)
  }

  // MARK: - Samples

  @Test func `without features, the tensor has the samples`() throws {
    let short = AudioClip(samples: [0.25, -0.5, 1], sampleRate: 16_000)
    let found = try echo(#""sample_rate": 16000, "samples": 144, "scale": 2, "bias": 1"#, short)
    #expect(found == [1.5, 0, 3] + [Float](repeating: 1, count: 141))
    let cut = try echo(#""sample_rate": 16000, "samples": 144"#)
    #expect(cut == Array(Self.samples.prefix(144)))
  }

  @Test func `a recording of another rate is resampled`() throws {
    let clip = AudioClip(samples: [Float](repeating: 0.5, count: 48_000), sampleRate: 48_000)
    let found = try echo(#""sample_rate": 16000, "samples": 144"#, clip)
    // A constant stays constant after the filter has settled.
    #expect(found.dropFirst(40).allSatisfy { abs($0 - 0.5) < 0.01 })
    #expect(found[0] != 0.5)
  }

  @Test func `a long recording has windows if there is a step`() throws {
    let fields = #""sample_rate": 16000, "step": 100"#
    let clip = AudioClip(samples: Array(Self.samples.prefix(400)), sampleRate: 16_000)
    let spec = try model(fields).loadSignature().inputs[0]
    let windows = try clip.windows(for: spec)
    #expect(windows == [0, 100, 200].map { Array(Self.samples[$0..<($0 + 144)]) })
    #expect(
      message(fields, samples: 400)?.contains("the recording has 3. Run the model on each") == true)
  }

  @Test func `windows that would fill the memory are an error`() throws {
    let fields = #""sample_rate": 16000, "step": 1"#
    let spec = try model(fields).loadSignature().inputs[0]
    let clip = AudioClip(samples: Array(repeating: 0, count: 940_000), sampleRate: 16_000)
    let error = #expect(throws: TensorIOError.self) { try clip.windows(for: spec) }
    #expect(error?.message.contains("has 939857 windows of 144 x 1 features") == true)
  }

  @Test func `an array of the input's length is written as it is`() throws {
    let values = (0..<144).map { Float($0) }
    let found: [Float] = try model(#""sample_rate": 16000"#).run(values)["echo"]
    #expect(found == values)
  }

  @Test func `a file is read and resampled`() throws {
    let clip = try AudioClip(contentsOf: Self.fixtures + "Audio/pcm16.wav")
    let bytes = try Data(contentsOf: URL(filePath: Self.fixtures + "Audio/pcm16.wav"))
    #expect(try AudioClip(bytes: [UInt8](bytes)) == clip)
    let found = try echo(#""sample_rate": \#(clip.sampleRate), "samples": 144"#, clip)
    #expect(found == Array(clip.samples.prefix(144)))
    #expect(Set(found).count > 100)
  }

  // MARK: - Errors

  @Test(arguments: [
    (#""sample_rate": 16000"#, "has 16000 samples at 16000 Hz, which give 16000 x 1 features"),
    (#""sample_rate": 16000, "samples": 100"#, "100 samples give 100 x 1 features"),
    (
      #""sample_rate": 16000, "features": {"type": "tensorflow", "frame_length": 400, "#
        + #""frame_step": 300, "num_mel_bins": 25}"#,
      "The features have 25 values a row, but the shape [1, 8, 18] has 144 values"
    ),
    (
      #""sample_rate": 16000, "features": {"type": "tensorflow", "frame_length": 400, "#
        + #""frame_step": 300, "coefficients": 18}"#,
      #""coefficients" of the features has no effect without "num_mel_bins""#
    ),
    (
      #""sample_rate": 16000, "features": {"type": "librosa", "amin": 1}"#,
      #""amin" of the features has no effect without "log""#
    ),
    (
      #""sample_rate": 16000, "frames": [4, 4], "features": {"type": "librosa", "n_mfcc": 18}"#,
      "The first of 'frames' must be less than the second"
    ),
    (
      #""sample_rate": 16000, "features": {"type": "librosa", "n_fft": 511}"#,
      "'n_fft' must be even, but it is 511"
    ),
  ])
  func `what doesn't fit is an error`(fields: String, reason: String) throws {
    let found = try #require(message(fields))
    #expect(found.contains(reason), "\(found)")
  }

  @Test func `a recording that is too short is an error`() throws {
    let fields = #""sample_rate": 16000, "step": 1"#
    #expect(message(fields, samples: 20)?.contains("Use a longer recording") == true)
  }

  @Test func `checkEncoders finds features that don't fit the shape`() throws {
    let good = try model(#""sample_rate": 16000, "samples": 144"#).loadSignature()
    try good.checkEncoders()
    let bad = try model(#""sample_rate": 16000, "samples": 145"#).loadSignature()
    #expect(throws: TensorIOError.self) { try bad.checkEncoders() }
  }

  @Test func `a recording fits no other input`() throws {
    let spec = TensorSpec(name: "x", shape: [3], kind: .vector(nil, labels: nil))
    #expect {
      _ = try AudioClip(samples: [0, 0, 0], sampleRate: 16_000).windows(for: spec)
    } throws: { error in
      (error as? TensorIOError)?.message == "'x' takes numbers, got a recording."
    }
  }
}
