// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// `tensorio init` on models that it recognizes, and what their bundles find.
///
/// The models return the same values for every image: an object of class 1 in the middle, with a
/// quarter of the width and half of the height of a 96 x 64 image. In the photo of 128 x 128
/// pixels, which is between margins on the left and right, it has 48 x 64 pixels.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RecognitionTests {
  private static let folder = "Tests/Fixtures/Recognized"
  private static let photo = "Demo/images/digit-0-01.png"

  private func make(
    _ model: String, in folder: TemporaryFolder, _ arguments: [String] = []
  ) async throws -> (bundle: String, result: CommandRunner.Result) {
    let bundle = folder.path + "/\(model).tiobundle"
    let result = try await CommandRunner.run(
      ["init", "\(Self.folder)/\(model).tflite", "-o", bundle] + arguments)
    return (bundle, result)
  }

  @Test func `an export of Ultralytics becomes a complete bundle`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, result) = try await make("yolo_detect", in: folder)
    #expect(result == (0, bundle + "\n", ""))
    #expect(
      try String(contentsOfFile: bundle + "/model.json", encoding: .utf8) == """
        {
          "name": "yolo_detect",
          "details": "Ultralytics YOLO11n model trained on pets.yaml",
          "id": "yolo_detect",
          "version": "8.3.0",
          "author": "Ultralytics",
          "license": "AGPL-3.0 License (https://ultralytics.com/license)",
          "model": {
            "file": "model.tflite",
            "quantized": false,
            "type": "image.detection",
            "backend": "tflite",
            "modes": ["predict"]
          },
          "inputs": [
            {
              "name": "image",
              "type": "image",
              "shape": [64, 96, 3],
              "format": "RGB",
              "resize": "opencv-linear",
              "crop": {
                "mode": "pad",
                "color": {
                  "r": 114,
                  "g": 114,
                  "b": 114
                },
                "rounding": "ultralytics"
              },
              "normalize": {
                "standard": "[0,1]"
              }
            }
          ],
          "outputs": [
            {
              "name": "Identity",
              "type": "array",
              "shape": [1, 6, 126],
              "decode": {
                "type": "yolo",
                "layout": "v8",
                "iou": 0.7,
                "clip": true,
                "units": "fractions",
                "labels": "labels.txt"
              }
            }
          ],
          "options": {
            "device_position": "back"
          }
        }

        """)
    let labels = try String(contentsOfFile: bundle + "/assets/labels.txt", encoding: .utf8)
    #expect(labels == "cat\ndog\n")
    #expect(ModelBundle.issues(at: bundle).isEmpty)
  }

  /// The models, the start of the line that `run` prints, and whether they say what they are.
  private static let found: [(model: String, line: String, isCertain: Bool)] = [
    ("yolo_detect", "0.9000  dog  48 x 64 pixels at (40, 32)\n", true),
    ("yolo_segment", "0.9000  dog  48 x 64 pixels at (40, 32), mask of ", true),
    ("yolo_oriented", "0.9000  ship  48 x 64 pixels at (40, 32), turned by 29 degrees\n", true),
    ("yolo_pose", "0.9000  it's  48 x 64 pixels at (40, 32), 2 keypoints\n", true),
    ("yolo_end_to_end", "0.9000  dog  48 x 64 pixels at (40, 32)\n", true),
    ("yolo_classify", "0.7500  dog\n", true),
    ("yolo_pixels", "0.9000  1  48 x 64 pixels at (40, 32)\n", false),
    ("yolo_anchors", "0.9000  1  48 x 64 pixels at (40, 32)\n", false),
    ("postprocessed", "", true),
    ("anchored", "0.9000  dog  64 x 32 pixels at (32, 88)\n", true),
    ("movenet", "0.8000  ", false),
    ("movenet_multiple", "0.9000  ", false),
    ("posenet", "0.9526  ", false),
    ("blazeface", "0.9526  face  32 x 32 pixels at (52, 52), 6 keypoints\n", false),
  ]

  @Test(arguments: found.indices)
  func `the bundle of a recognized model finds what the model returns`(index: Int) async throws {
    let (model, line, isCertain) = Self.found[index]
    let folder = try TemporaryFolder()
    let (bundle, result) = try await make(model, in: folder, ["--check", Self.photo])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.hasPrefix("\(bundle)\n\(Self.photo):\n"), "\(result.output)")
    #expect(result.output.contains("\n  " + line), "\(result.output)")
    #expect(result.error.contains("is assumed, because") == !isCertain, "\(result.error)")
    #expect(!result.error.contains("decode.units"), "\(result.error)")
    let checked = try await CommandRunner.run(["validate", bundle])
    #expect(checked.status == 0, "\(checked.output)")

    let unbundled = try await CommandRunner.run(
      ["run", "\(Self.folder)/\(model).tflite", Self.photo])
    // Anchors need a file.
    let runs = isCertain && model != "anchored"
    #expect(unbundled.status == (runs ? 0 : 65), "\(unbundled.error)")
    if runs { #expect(unbundled.output.contains("\n  " + line), "\(unbundled.output)") }
  }

  @Test func `the metadata of a detector gives names, a threshold and what isn't supported`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (bundle, result) = try await make("postprocessed", in: folder)
    #expect(
      result.error == """
        check: crop of the image: the whole image is stretched, as TensorFlow Lite's Task Library \
        and MediaPipe do
        check: scores: the metadata's calibration of scores isn't supported; they are used as they \
        are

        """)
    let manifest = try ModelBundle(bundle).manifest
    let decoding = try #require(manifest.outputs[0].coding)
    #expect(decoding.type == "tflite-postprocess")
    #expect(decoding.outputs == ["classes": "classes", "scores": "scores", "count": "count"])
    #expect(decoding.options["threshold"] == .number(0.125))
    #expect(decoding.options["labels"] == .string("labels.txt"))
    #expect(manifest.options.values["labels"] == nil)
    #expect(manifest.name == "postprocessed")
  }

  @Test func `anchors go into a file, and the decoder reads it`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, _) = try await make("anchored", in: folder)
    let anchors = try String(contentsOfFile: bundle + "/assets/anchors.txt", encoding: .utf8)
    #expect(
      anchors == "0.25 0.25 0.25 0.5\n0.25 0.75 0.25 0.5\n0.75 0.25 0.25 0.5\n0.75 0.75 0.25 0.5\n")
    let unbundled = try await CommandRunner.run([
      "run", "\(Self.folder)/anchored.tflite", Self.photo,
    ])
    #expect(unbundled.status == 65 && unbundled.error.contains("anchors"), "\(unbundled.error)")
    let decoding = try #require(try ModelBundle(bundle).manifest.outputs[1].coding)
    #expect(decoding.type == "ssd" && decoding.outputs == ["scores": "scores"])
    #expect(
      decoding.options["scale"]
        == .array([.number(4), .number(2), .number(1), .number(1)]))
    #expect(decoding.options["activation"] == .string("none"))
    #expect(decoding.options["threshold"] == .number(0.5))
  }

  @Test func `the values of a run decide the unit of boxes`() async throws {
    let folder = try TemporaryFolder()
    for (model, unit) in [("yolo_pixels", "pixels"), ("yolo_anchors", "fractions")] {
      let (bundle, _) = try await make(model, in: folder)
      let decoding = try #require(try ModelBundle(bundle).manifest.outputs[0].coding)
      #expect(decoding.options["units"] == .string(unit), "\(model)")
    }
  }

  // MARK: - Checks on photos

  @Test func `an existing bundle is checked as it is, unless it is forced`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, _) = try await make("yolo_detect", in: folder)
    let file = bundle + "/model.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("\"iou\": 0.7", with: "\"threshold\": 0.95").write(
      toFile: file, atomically: true, encoding: .utf8)
    let (_, edited) = try await make("yolo_detect", in: folder, ["--check", Self.photo])
    #expect(edited == (0, "\(Self.photo):\nIdentity\n  nothing above the threshold\n", ""))
    let (_, forced) = try await make("yolo_detect", in: folder, ["--force", "--check", Self.photo])
    #expect(forced.output.contains("  0.9000  dog"), "\(forced.output)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
  }

  @Test func `a photo that can't be read is named, and the others are checked`() async throws {
    let folder = try TemporaryFolder()
    let text = folder.path + "/text.png"
    try Data("text".utf8).write(to: URL(filePath: text))
    let (_, result) = try await make(
      "yolo_detect", in: folder, ["--check", "nothing.png", text, Self.photo])
    #expect(result.status == 65)
    #expect(result.error.contains("error: nothing.png: There is no file"), "\(result.error)")
    #expect(result.error.contains("error: \(text): "), "\(result.error)")
    #expect(
      result.output.hasSuffix(
        "\(Self.photo):\nIdentity\n  0.9000  dog  48 x 64 pixels at (40, 32)\n"))
  }

  @Test func `a bundle that can't be run is an error of the check`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, _) = try await make("yolo_detect", in: folder)
    try FileManager.default.removeItem(atPath: bundle + "/model.tflite")
    let (_, result) = try await make("yolo_detect", in: folder, ["--check", Self.photo])
    #expect(result.status != 0 && result.output == "")
    #expect(result.error.contains("model.tflite"), "\(result.error)")
  }

  // MARK: - Damage

  /// Every cut and altered byte ends with a bundle or with a message.
  @Test func `damaged metadata doesn't crash`() async throws {
    let folder = try TemporaryFolder()
    for model in ["yolo_detect", "yolo_pose", "anchored"] {
      let path = CommandRunner.packageFolder.appending(path: "\(Self.folder)/\(model).tflite")
      let bytes = [UInt8](try Data(contentsOf: path))
      let zip = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 3, 4]) })
      for round in 0..<12 {
        var damaged = bytes
        if round < 4 {
          damaged.removeLast((bytes.count - zip) * (round + 1) / 5)
        } else {
          let place = zip + (bytes.count - zip) * (round - 4) / 8
          damaged[place] ^= 0x55
        }
        let file = folder.path + "/damaged.tflite"
        try Data(damaged).write(to: URL(filePath: file))
        let result = try await CommandRunner.run([
          "init", file, "-o", folder.path + "/damaged.tiobundle", "--force",
        ])
        #expect(result.status == 0 || result.status == 65, "\(model) \(round): \(result.error)")
        #expect(!result.error.contains("unexpectedly"), "\(model) \(round): \(result.error)")
      }
    }
  }

  @Test func `a model of keywords gets an audio input and its words`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, result) = try await make("keywords", in: folder)
    #expect(result.status == 0)
    #expect(
      result.error.contains("type of 'image': audio is assumed, because 49 x 10 values and 12"))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.inputs[0].coding?.type == "audio")
    #expect(manifest.inputs[0].coding?.options["sample_rate"] == .number(16_000))
    let run = try await CommandRunner.run(
      ["run", bundle, "Tests/Fixtures/Audio/pcm16.flac", "--top", "1"])
    #expect(run.status == 0)
    #expect(run.output.contains("yes"), "\(run)")
    let checked = try await CommandRunner.run(["validate", bundle])
    #expect(checked.status == 0)
  }

  @Test func `a model of anomalies gets an audio input and a reconstruction`() async throws {
    let folder = try TemporaryFolder()
    let (bundle, result) = try await make("anomalies", in: folder)
    #expect(result.status == 0)
    #expect(result.error.contains("because 640 values that are reconstructed are those of MLPerf"))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.inputs[0].coding?.options["stacking"] == .number(5))
    #expect(manifest.outputs[0].coding?.type == "reconstruction")
    // The model reconstructs zeros, so the error is the mean of the squares.
    let values = "[" + (0..<640).map { "\(Double($0 % 4))" }.joined(separator: ",") + "]"
    let run = try await CommandRunner.run(["run", bundle, values, "--json"])
    #expect(run.status == 0)
    #expect(run.output.contains("3.5"), "\(run)")
    let checked = try await CommandRunner.run(["validate", bundle])
    #expect(checked.status == 0)
  }
}
