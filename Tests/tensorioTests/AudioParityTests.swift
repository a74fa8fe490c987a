// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ModelTools
import TensorIO
import TensorIODecoding
import Testing

/// `tensorio parity` with features that Python's libraries made of a recording.
///
/// Tools/peers/plant_audio_faults.py makes the files.
struct AudioParityTests {
  private static let folder = "Tests/Fixtures/Parity/Audio/"

  /// The layers of bundles that have the shape and the features of a file without a fault.
  private static let layers = [
    "tensorflow": #""shape": [1, 48, 20], "samples": 4000, "features": {\#(bands)}"#,
    "padded": #""shape": [1, 73, 20], "samples": 6000, "features": {\#(bands)}"#,
    "tensorflow-mfcc":
      #""shape": [1, 48, 10], "samples": 4000, "features": {\#(bands), "coefficients": 10}"#,
    "librosa": #"""
    "shape": [1, 51, 24], "samples": 4000, "features": {"type": "librosa", "n_fft": 256,
    "hop_length": 80, "n_mels": 24, "fmin": 50, "fmax": 3800, "log": "decibels"}
    """#,
    "librosa-mfcc": #"""
    "shape": [1, 51, 12], "samples": 4000, "features": {"type": "librosa", "n_fft": 256,
    "hop_length": 80, "n_mels": 24, "n_mfcc": 12}
    """#,
    "speech": #"""
    "shape": [1, 24, 13], "samples": 4000, "features": {"type": "speech-commands",
    "window_size": 240, "stride": 160, "dct_coefficient_count": 13,
    "filterbank_channel_count": 26, "upper_frequency_limit": 3800}
    """#,
    "micro": #"""
    "shape": [1, 24, 20], "samples": 4000, "features": {"type": "micro-speech",
    "window_size": 30, "window_step": 20, "num_channels": 20, "upper_band_limit": 3800}
    """#,
    "samples": #""shape": [1, 4000], "samples": 4000"#,
  ]
  private static let bands = #"""
    "type": "tensorflow", "frame_length": 200, "frame_step": 80, "num_mel_bins": 20,
    "lower_edge_hertz": 80, "upper_edge_hertz": 3600, "log": "natural", "offset": 1e-6
    """#

  private static func bundle(_ name: String) throws -> PlaceholderBundle {
    let layer = try #require(layers[name])
    return try PlaceholderBundle(
      inputs: [#"{"name": "sound", "type": "audio", "sample_rate": 8000, \#(layer)}"#])
  }

  private static func answer(
    _ bundle: String, _ file: String
  ) async throws -> (status: Int32, answer: ParityAnswer) {
    try await ParityAnswer.of(
      self.bundle(bundle), folder + "sound.wav", against: "\(folder)\(file).npy")
  }

  @Test(arguments: [
    "tensorflow", "tensorflow-mfcc", "librosa", "librosa-mfcc", "speech", "micro", "samples",
  ])
  func `features of Python are equal`(_ name: String) async throws {
    let (status, answer) = try await Self.answer(name, name)
    #expect(status == 0 && answer.equal, "\(answer.message ?? "")")
  }

  /// A file, the bundle that it is compared with, and what each differing stage looks like.
  typealias Fault = (file: String, bundle: String, differences: [String: String])

  static let samples: [Fault] = [
    ("first-channel", "tensorflow", ["channels": "the first channel"]),
    (
      "not-resampled", "tensorflow",
      ["sample rate": "the file's samples, which aren't resampled"]
    ),
    (
      "rate-of-librosa", "tensorflow", ["sample rate": "samples at 22050 Hz, librosa's default"]
    ),
    ("soxr", "tensorflow", ["sample rate": "another resampler"]),
    (
      "end-kept", "tensorflow",
      ["length": "the end of the recording, or silence before it"]
    ),
    ("no-length", "padded", ["length": #"no "samples""#]),
    (
      "silence-before", "padded",
      ["length": "the end of the recording, or silence before it"]
    ),
    (
      "silence-around", "padded",
      ["length": "the middle of the recording, or silence on both sides"]
    ),
    ("repeated", "padded", ["length": "the recording repeated"]),
    ("int16", "tensorflow", ["amplitude": "samples from -32768 to 32767"]),
    ("int16-samples", "samples", ["amplitude": "samples from -32768 to 32767"]),
    ("maximum", "tensorflow", ["amplitude": #""preparation": "divide-by-maximum""#]),
    ("magnitude", "librosa", ["amplitude": "samples divided by their largest magnitude"]),
    ("mean-removed", "samples", ["amplitude": "samples minus their mean"]),
    ("pre-emphasis", "librosa", ["amplitude": "pre-emphasis by 0.97"]),
  ]

  static let spectra: [Fault] = [
    ("window-256", "tensorflow", ["frames": #""frame_length": 256"#]),
    ("step-160", "tensorflow", ["frames": #""frame_step": 160"#]),
    ("window-and-step", "tensorflow", ["frames": #""frame_length": 320, "frame_step": 160"#]),
    ("fft-512", "tensorflow", ["frames": #""fft_length": 512"#]),
    ("pad-end", "tensorflow", ["frames": #""pad_end": true"#]),
    ("last-frame-missing", "tensorflow", ["frames": #""frames": [0,47]"#]),
    ("first-frame-missing", "tensorflow", ["frames": #""frames": [1,48]"#]),
    ("not-centred", "librosa", ["frames": #""center": false"#]),
    ("reflect", "librosa", ["frames": #""pad_mode": "reflect""#]),
    ("hop-128", "librosa", ["frames": #""hop_length": 128"#]),
    ("n-fft-512", "librosa", ["frames": #""n_fft": 512, "win_length": 256"#]),
    ("win-200", "librosa", ["frames": #""win_length": 200"#]),
    ("speech-stride", "speech", ["frames": #""stride": 80"#]),
    ("micro-step", "micro", ["frames": #""window_step": 10"#]),
    ("power-2", "tensorflow", ["spectrum": #""power": 2"#]),
    ("power-1", "librosa", ["spectrum": #""power": 1"#]),
    ("squared", "speech", ["spectrum": #""magnitude_squared": true"#]),
    ("low-0", "tensorflow", ["mel": #""lower_edge_hertz": 0"#]),
    ("high-4000", "tensorflow", ["mel": #""upper_edge_hertz": 4000"#]),
    ("bands-26", "tensorflow", ["mel": #""num_mel_bins": 26"#]),
    ("fmin-0", "librosa", ["mel": #""fmin": 0"#]),
    ("fmax-default", "librosa", ["mel": #"no "fmax""#]),
    ("htk", "librosa", ["mel": #""htk": true"#]),
    ("norm-none", "librosa", ["mel": #""norm": "none""#]),
    ("speech-high", "speech", ["mel": #""upper_frequency_limit": 4000"#]),
  ]

  static let values: [Fault] = [
    ("no-log", "tensorflow", ["logarithm": #"no "log", no "offset""#]),
    ("log10", "tensorflow", ["logarithm": #""log": "decimal""#]),
    ("offset-1e-3", "tensorflow", ["logarithm": #""offset": 0.001"#]),
    ("natural-log", "librosa", ["logarithm": #""log": "natural", "offset": 1e-06"#]),
    ("ref-max", "librosa", ["logarithm": #""ref": "max""#]),
    ("top-db-40", "librosa", ["logarithm": #""top_db": 40"#]),
    (
      "mfcc-ortho", "tensorflow-mfcc",
      ["coefficients": #"the DCT of librosa (norm="ortho")"#]
    ),
    ("mfcc-plain", "tensorflow-mfcc", ["coefficients": #"a DCT without norm="ortho""#]),
    ("mfcc-13", "tensorflow-mfcc", ["coefficients": #""coefficients": 13"#]),
    ("librosa-plain-dct", "librosa-mfcc", ["coefficients": #"a DCT without norm="ortho""#]),
    ("lifter-22", "librosa-mfcc", ["coefficients": #""lifter": 22"#]),
    ("transposed", "tensorflow", ["axes": "the other order of the axes"]),
    ("transposed-librosa", "librosa", ["axes": "the other order of the axes"]),
    ("scaled", "librosa", ["scale and bias": "v * 0.0125 + 1.0"]),
    (
      "standardized", "librosa",
      ["scale and bias": "the recording's own mean and deviation"]
    ),
    (
      "least-to-greatest", "librosa",
      ["scale and bias": "the recording's own least and greatest value"]
    ),
    ("librosa-function", "tensorflow", ["function": "librosa"]),
    ("tensorflow-function", "librosa", ["function": "tensorflow"]),
    ("speech-function", "tensorflow-mfcc", ["function": "speech-commands"]),
    ("micro-function", "tensorflow", ["function": "micro-speech"]),
    (
      "first-channel-log10", "tensorflow",
      ["channels": "the first channel", "logarithm": #""log": "decimal""#]
    ),
    (
      "power-2-no-log", "tensorflow",
      ["spectrum": #""power": 2"#, "logarithm": #"no "log", no "offset""#]
    ),
    (
      "htk-transposed", "librosa",
      ["mel": #""htk": true"#, "axes": "the other order of the axes"]
    ),
  ]

  @Test(arguments: samples + spectra + values)
  func `a difference is attributed to the right stages`(_ fault: Fault) async throws {
    let (status, answer) = try await Self.answer(fault.bundle, fault.file)
    #expect(answer.differences == fault.differences, "\(fault.file): \(answer.message ?? "")")
    #expect(answer.explained && status == 1)
  }

  @Test func `a quantized array is told from floats`() async throws {
    let (status, answer) = try await Self.answer("tensorflow", "quantized")
    let looks = try #require(answer.differences["quantization"])
    #expect(looks.hasPrefix("int8, quantized with the scale 0.08"), "\(looks)")
    #expect(looks.hasSuffix(" and the zero point 90"))
    #expect(answer.differences.count == 1 && status == 1)
  }

  @Test func `what no variant explains is reported as unknown`() async throws {
    let (status, answer) = try await Self.answer("tensorflow", "unknown")
    #expect(status == 1 && !answer.explained && answer.differences.isEmpty)
    #expect(answer.message?.contains("no known variant explains it") == true)
  }

  @Test func `the report has a table, the first difference and the keys to write`() async throws {
    let bundle = try Self.bundle("librosa")
    let (sound, theirs) = (Self.folder + "sound.wav", Self.folder + "htk.npy")
    let result = try await CommandRunner.run(["parity", bundle.path, sound, "--against", theirs])
    #expect(result.status == 1 && result.error == "")
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 18, "\(result.output)")
    #expect(
      lines[0] == "the tensor of '\(sound)' differs between '\(theirs)' and '\(bundle.path)':")
    #expect(lines[1...2] == ["  stage           result", "  channels        same"])
    #expect(
      lines[9] == #"  mel             differs  looks like "htk": true instead of the default"#)
    #expect(
      lines[15] == #"first difference: mel: looks like "htk": true instead of the default. Write "#
        + #""htk": true in "features" of model.json, or change the Python code."#)
    #expect(lines[16].hasSuffix(" of 1224 elements differ by more than 0.00424251"))
    #expect(lines[17].hasPrefix("unexplained rest: ") && lines[17].hasSuffix("% of the deviation"))
  }

  /// Following the advice makes both sides equal.
  @Test(arguments: [
    ("step-160", #""frame_step": 80"#, #""frame_step": 160"#, "[1, 24, 20]"),
    ("high-4000", #""upper_edge_hertz": 3600"#, #""upper_edge_hertz": 4000"#, "[1, 48, 20]"),
    ("no-log", #", "log": "natural", "offset": 1e-6"#, "", "[1, 48, 20]"),
  ])
  func `the keys of the report make both sides equal`(
    _ file: String, _ old: String, _ new: String, _ shape: String
  ) async throws {
    let layer = try #require(Self.layers["tensorflow"]).replacing("\n", with: " ")
      .replacing("  ", with: "").replacing(old, with: new)
      .replacing("[1, 48, 20]", with: shape)
    let bundle = try PlaceholderBundle(
      inputs: [#"{"name": "sound", "type": "audio", "sample_rate": 8000, \#(layer)}"#])
    let (status, answer) = try await ParityAnswer.of(
      bundle, Self.folder + "sound.wav", against: "\(Self.folder)\(file).npy")
    #expect(status == 0 && answer.equal, "\(answer.message ?? "")")
  }

  @Test func `our tensor can be written, and is equal to itself`() async throws {
    let bundle = try Self.bundle("tensorflow")
    let (sound, file) = (Self.folder + "sound.wav", bundle.pathBeside("ours.npy"))
    let words = ["parity", bundle.path, sound]
    let written = try await CommandRunner.run(words + ["--write", file, "--json"])
    #expect(
      written.output == #"{"bundle":"\#(bundle.path)","input":"sound","#
        + #""ours":{"dtype":"float32","shape":[1,48,20]},"recording":"\#(sound)","#
        + #""written":"\#(file)"}"# + "\n")
    let same = try await CommandRunner.run(words + ["--against", file, "--tolerance", "0"])
    #expect(same == (0, "equal: the largest difference is 0.0 (tolerance 0)\n", ""))
  }

  @Test func `large equal numbers aren't taken for a quantization`() async throws {
    let bundle = try Self.bundle("tensorflow")
    let (sound, path) = (Self.folder + "sound.wav", bundle.pathBeside("theirs.npy"))
    let values = [Int64](repeating: .max, count: 960)
    try NumPyFile.write(Tensor(values, shape: [1, 48, 20]), to: path)
    let result = try await CommandRunner.run(["parity", bundle.path, sound, "--against", path])
    #expect(result.status == 1, "\(result.error)")
    #expect(!result.output.contains("quantized with the scale"), "\(result.output)")
  }

  @Test func `an array that isn't finite or has another size is reported`() async throws {
    let bundle = try Self.bundle("tensorflow")
    let (sound, path) = (Self.folder + "sound.wav", bundle.pathBeside("theirs.npy"))
    let words = ["parity", bundle.path, sound, "--against", path]
    try NumPyFile.write(Tensor([1, Float.nan, -Float.infinity], shape: [3]), to: path)
    let damaged = try await CommandRunner.run(words)
    #expect(damaged.status == 65 && damaged.error.contains("has 2 values out of 3"))
    for shape in [[5, 7, 3], [997]] {
      let values = (0..<shape.reduce(1, *)).map { Float($0 % 11) }
      try NumPyFile.write(Tensor(values, shape: shape), to: path)
      let other = try await CommandRunner.run(words)
      #expect(other.status == 1)
      #expect(other.output.contains("has the shape \(shape), but 'sound' takes"), "\(other.output)")
    }
  }
}
