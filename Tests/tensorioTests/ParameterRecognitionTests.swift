// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// `tensorio init` on models with the parameters that Silicon Labs' MLTK writes.
///
/// The models always answer with their last class.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct ParameterRecognitionTests {
  private static let folder = "Tests/Fixtures/Recognized/parameters_"
  private static let source = "check: the model's own parameters (SL_PARAMSv1)"

  private func make(
    _ model: String, in folder: TemporaryFolder
  ) async throws -> (bundle: String, manifest: ModelManifest, messages: [Substring]) {
    let bundle = folder.path + "/\(model).tiobundle"
    let result = try await CommandRunner.run([
      "init", Self.folder + model + ".tflite", "-o", bundle,
    ])
    #expect(result.status == 0, "\(result.error)")
    let validated = try await CommandRunner.run(["validate", bundle])
    #expect(validated.status == 0, "\(validated.error)")
    return (
      bundle, try ModelBundle(bundle).manifest,
      result.error.split(separator: "\n").filter { $0.hasPrefix("check: ") }
    )
  }

  private func run(_ bundle: String, _ value: String) async throws -> String {
    let result = try await CommandRunner.run(["run", bundle, value, "--top", "1"])
    #expect(result.status == 0, "\(result.error)")
    return result.output
  }

  @Test func `a model of anomalies may keep the rows of its frames`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, manifest, messages) = try await make("anomalies", in: folder)
    #expect(manifest.name == "anomalies" && manifest.version == "1")
    #expect(manifest.inputs[0].coding?.options["stacking"] == .number(5))
    #expect(manifest.outputs[0].coding?.type == "reconstruction")
    #expect(messages.count == 2, "\(messages)")
    // The model reconstructs zeros, so the error is the mean of the squares.
    let values = "[" + (0..<640).map { "\(Double($0 % 4))" }.joined(separator: ",") + "]"
    #expect(try await run(bundle, values).contains("3.5"))
    let shapes = try String(contentsOfFile: bundle + "/model.json", encoding: .utf8)
    #expect(shapes.contains(#""shape": [1, 5, 128, 1]"#))
  }

  @Test(arguments: [
    ("image", "scissors", #""normalize": {\#n        "standard": "[0,1]"\#n      }"#),
    ("pixels", "non_person", #""format": "RGB"\#n"#),
  ])
  func `a classifier of images gets its names and its factor`(
    model: String, label: String, text: String
  ) async throws {
    let folder = try TemporaryFolder()
    let (bundle, manifest, messages) = try await make(model, in: folder)
    #expect(manifest.name == "own_name" && manifest.version == "3")
    #expect(
      try String(contentsOfFile: bundle + "/model.json", encoding: .utf8).contains(text))
    #expect(messages.count == 2, "\(messages)")
    let factor = model == "image" ? "a factor for pixel values" : "pixel values without a factor"
    #expect(messages[0].hasPrefix(Self.source + " give "))
    #expect(messages[0].hasSuffix(" class names, and " + factor))
    #expect(messages[1].contains("RGB is assumed"))
    #expect(try await run(bundle, "Demo/images/digit-0-01.png").contains(label))
  }

  @Test func `images with a mean of their own are an assumption`() async throws {
    let folder = try TemporaryFolder()
    let (_, _, messages) = try await make("standardized", in: folder)
    #expect(messages[0].hasPrefix(Self.source + " name 2 classes, but the output has 3 values"))
    #expect(messages.contains { $0.contains("normalized by their own mean and deviation") })
    let run = try await CommandRunner.run(
      ["run", Self.folder + "standardized.tflite", "Demo/images/digit-0-01.png"])
    #expect(run.status == 65)
    #expect(run.error.contains("'tensorio init "))
  }

  @Test(arguments: ["sound", "earlier_sound"])
  func `a model of words hears recordings`(model: String) async throws {
    let folder = try TemporaryFolder()
    let (bundle, manifest, messages) = try await make(model, in: folder)
    let coding = try #require(manifest.inputs[0].coding)
    #expect(coding.type == "audio")
    #expect(coding.options["sample_rate"] == .number(16_000))
    #expect(coding.options["samples"] == .number(16_000))
    #expect(coding.options["bias"] == .number(-128))
    guard case .object(let features)? = coding.options["features"] else {
      Issue.record("no features")
      return
    }
    let isReduced = model == "sound"
    #expect(features["type"] == .string("micro-speech"))
    #expect(features["num_channels"] == .number(40))
    #expect(features["even_smoothing"] == .number(0.025))
    #expect(features["enable_pcan"] == .bool(isReduced))
    #expect(features["min_signal_remaining"] == .number(isReduced ? 0.05 : 1))
    #expect(messages.count == 2, "\(messages)")
    #expect(messages[0].contains("give 4 class names, and the settings of the micro front end"))
    #expect(messages[1].contains("rounds its Fourier transform in another way"))
    let recording = "Tests/Fixtures/Audio/pcm16.flac"
    #expect(try await run(bundle, recording).contains("_silence_"))
    // The file says all that a run needs.
    #expect(try await run(Self.folder + model + ".tflite", recording).contains("_silence_"))
  }

  @Test func `a front end with more steps is an array`() async throws {
    let folder = try TemporaryFolder()
    let (_, manifest, messages) = try await make("other_sound", in: folder)
    #expect(manifest.inputs[0].coding == nil)
    #expect(messages.count == 2, "\(messages)")
    #expect(messages[0] == Self.source + " give 2 class names")
    #expect(messages[1].contains("(dc_notch_filter) and values relative to the loudest one"))
  }

  /// Every altered byte of the parameters ends with a bundle or with a message.
  @Test func `damaged parameters don't crash`() async throws {
    let folder = try TemporaryFolder()
    let path = CommandRunner.packageFolder.appending(path: Self.folder + "sound.tflite")
    let bytes = [UInt8](try Data(contentsOf: path))
    let name = Array("fe.sample_rate_hz".utf8)
    let middle = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    let file = folder.path + "/damaged.tflite"
    for round in 0..<24 {
      var damaged = bytes
      damaged[middle - 480 + 40 * round] ^= 0x55
      try Data(damaged).write(to: URL(filePath: file))
      let result = try await CommandRunner.run([
        "init", file, "-o", folder.path + "/damaged.tiobundle", "--force",
      ])
      #expect(result.status == 0 || result.status == 65, "\(round): \(result.error)")
      #expect(!result.error.contains("unexpectedly"), "\(round): \(result.error)")
    }
  }
}
