// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension RecognizedModel {
  /// Recognizes a model that hears by the shapes of its tensors; nil for any other.
  ///
  /// - Parameters:
  ///   - signature: The model's inputs and outputs.
  ///   - hasLabels: Whether the file has the names of its classes.
  init?(soundShapesOf signature: SignatureDescription, hasLabels: Bool = false) {
    guard signature.inputs.count == 1, signature.outputs.count == 1 else { return nil }
    let input = signature.inputs[0].shape.filter { abs($0) != 1 }
    let output = signature.outputs[0].shape.filter { abs($0) != 1 }
    // Some models keep the rows of the five frames that others join.
    if input == [640] || input == [5, 128], output == input {
      sound = Self.machines
      decoder = DecoderDraft(type: "reconstruction", output: 0)
      reason =
        "640 values that are reconstructed are those of MLPerf Tiny's model of anomalies, which hears "
        + "machines; its features are assumed, too"
      return
    }
    if let frames = Self.wakeWordFrames(signature) {
      sound = Self.wakeWord(frames: frames)
      reason =
        "\(frames) x 40 integers from 0 to 26 and one result are those of microWakeWord, whose models "
        + "hear \(frames * 10) ms in each run and remember what they heard; its features are assumed, too"
      return
    }
    guard input == [49, 10], output == [12] else { return nil }
    sound = Self.keywords
    labels = [
      "down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes", "silence", "unknown",
    ]
    reason =
      "49 x 10 values and 12 classes are those of MLPerf Tiny's model of keywords, which hears one "
      + "second; its features and the order of its words are assumed, too"
  }

  /// The logarithmic mel spectrum of MLPerf Tiny's reference for anomalies: five of the frames in the
  /// middle of a recording of 10 seconds at a time.
  private static let machines: BundleDraft.Members = [
    ("sample_rate", .integer(16_000)),
    (
      "features",
      .object([
        ("type", .string("librosa")), ("n_fft", .integer(1024)), ("hop_length", .integer(512)),
        ("n_mels", .integer(128)), ("power", .integer(2)), ("log", .string("decimal")),
        ("offset", .double(Double.ulpOfOne)), ("multiplier", .integer(10)),
      ])
    ),
    ("frames", .array([.integer(50), .integer(250)])), ("stacking", .integer(5)),
    ("step", .integer(1)),
  ]

  /// Returns the number of frames that a model of microWakeWord gets in each run; nil for another.
  private static func wakeWordFrames(_ signature: SignatureDescription) -> Int? {
    let (input, output) = (signature.inputs[0], signature.outputs[0])
    guard input.shape.count == 3, input.shape[0] == 1, (1...10).contains(input.shape[1]),
      input.shape[2] == 40, input.dataType == .int8, output.dataType == .uint8,
      output.shape.allSatisfy({ abs($0) == 1 }), let scale = input.quantization?.scales.first,
      abs(scale * 255 - 26) < 0.01
    else { return nil }
    return input.shape[1]
  }

  /// The micro front end as ESPHome configures it.
  private static func wakeWord(frames: Int) -> BundleDraft.Members {
    [
      ("sample_rate", .integer(16_000)),
      (
        "features",
        .object([
          ("type", .string("micro-speech")), ("window_size", .integer(30)),
          ("window_step", .integer(10)), ("num_channels", .integer(40)),
          ("lower_band_limit", .integer(125)), ("upper_band_limit", .integer(7500)),
          ("enable_pcan", .bool(true)), ("out_scale", .integer(1)), ("out_type", .string("float")),
        ])
      ),
      ("stacking", .integer(frames)), ("step", .integer(frames)), ("scale", .float(0.0390625)),
    ]
  }

  /// The cepstra of MLPerf Tiny's reference for keywords.
  private static let keywords: BundleDraft.Members = [
    ("sample_rate", .integer(16_000)), ("samples", .integer(16_000)),
    ("preparation", .string("divide-by-maximum")),
    (
      "features",
      .object([
        ("type", .string("tensorflow")), ("frame_length", .integer(480)),
        ("frame_step", .integer(320)), ("num_mel_bins", .integer(40)),
        ("lower_edge_hertz", .integer(20)), ("upper_edge_hertz", .integer(4000)),
        ("log", .string("natural")), ("offset", .double(1e-6)), ("coefficients", .integer(10)),
      ])
    ),
  ]
}
