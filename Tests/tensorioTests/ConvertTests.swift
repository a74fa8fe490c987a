// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio convert`, by the converter of a real Python.
@Suite(
  .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."),
  .timeLimit(.minutes(10)))
struct ConvertTests {
  private let folder: TemporaryFolder
  private var trained: String { folder.path + "/trained.tiobundle" }

  init() async throws {
    folder = try TemporaryFolder()
    let result = try await CommandRunner.run([
      "train", "Demo/digits-train.tiobundle", "--data", "Demo/digits-training", "--epochs", "3",
      "--placeholder", "learning_rate=0.005", "--export", folder.path + "/trained.tiobundle",
    ])
    try #require(result.status == 0, "\(result.error)")
  }

  private func convert(_ options: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.run(
      ["convert", trained, "-o", folder.path + "/lite.tiobundle"] + options)
  }

  /// The predicted label of each image of the demo.
  private func predictions(of bundle: String) async throws -> [String] {
    let rows = folder.path + "/rows.jsonl"
    let result = try await CommandRunner.run([
      "bulk", "Demo/images", "--model", bundle, "-o", rows, "--force",
    ])
    try #require(result.status == 0, "\(result.error)")
    struct Row: Decodable {
      let image: String
      let predicted: String
    }
    return try String(contentsOfFile: rows, encoding: .utf8).split(separator: "\n").map {
      try JSONDecoder().decode(Row.self, from: Data($0.utf8))
    }.sorted { $0.image < $1.image }.map(\.predicted)
  }

  private var modelSize: Int {
    get throws {
      try Data(contentsOf: URL(filePath: folder.path + "/lite.tiobundle/model.tflite")).count
    }
  }

  @Test func `a converted model gives the same results`() async throws {
    let result = try await convert()
    try #require(result.status == 0, "\(result.error)")
    #expect(result.error.contains("largest difference on 3 random inputs: 'probabilities'"))
    let expected = try await predictions(of: trained)
    #expect(try await predictions(of: folder.path + "/lite.tiobundle") == expected)
    let whole = try modelSize
    for (kind, most) in [("float16", 0.6), ("dynamic", 0.4)] {
      try FileManager.default.removeItem(atPath: folder.path + "/lite.tiobundle")
      let result = try await convert("--quantize", kind)
      #expect(result.status == 0, "\(result.error)")
      #expect(try Double(modelSize) < most * Double(whole))
    }
  }

  @Test func `a model of 8 bits takes its ranges from the samples, as the model gets them`()
    async throws
  {
    let samples = folder.path + "/samples"
    try FileManager.default.createDirectory(atPath: samples, withIntermediateDirectories: true)
    try await Python.run(["Tools/peers/calibration.py", "make", samples])
    let result = try await convert("--quantize", "int8", "--samples", samples, "Demo/images")
    try #require(result.status == 0, "\(result.error)")
    #expect(
      result.error.firstMatch(
        of:
          #/largest difference on 32 samples: 'probabilities' .* \(the same largest element in \d+\)/#
      )
        != nil, "\(result.error)")
    let expected = try await predictions(of: trained)
    let found = try await predictions(of: folder.path + "/lite.tiobundle")
    #expect(zip(found, expected).count { $0 == $1 } >= 19)

    try FileManager.default.removeItem(atPath: folder.path + "/lite.tiobundle")
    try #require(
      try await convert(
        "--quantize", "int8", "--samples", samples, "--sample-limit", "1000"
      ).status == 0)
    struct Scales: Decodable {
      let expected: Double
      let found: [Double]
    }
    let output = try await Python.run([
      "Tools/peers/calibration.py", "scales", samples,
      folder.path + "/lite.tiobundle/model.tflite",
    ])
    let scales = try JSONDecoder().decode(Scales.self, from: Data(output.utf8))
    #expect(scales.expected < 0.9 / 255, "The photos are dim.")
    #expect(scales.found.contains { abs($0 - scales.expected) < 1e-8 }, "\(scales)")
  }

  @Test(
    arguments: [
      (["--quantize", "int8"], 64, "--quantize int8 needs --samples"),
      (["--samples", "Demo/images"], 64, "--samples is only for --quantize int8"),
      (
        ["--quantize", "int8", "--samples", "Demo/images", "--sample-limit", "0"], 64,
        "--sample-limit takes a number from 1"
      ),
      (
        ["--quantize", "int8", "--samples", "missing"], 66, "There is no file or folder 'missing'"
      ),
      (
        ["--quantize", "int8", "--samples", "Demo/README.md"], 65,
        "The sample 'Demo/README.md' can't be used: "
      ),
    ] as [([String], Int32, String)])
  func `samples that don't suit are named, and nothing is written`(
    options: [String], status: Int32, message: String
  ) async throws {
    let result = try await CommandRunner.run(
      ["convert", trained, "-o", folder.path + "/lite.tiobundle"] + options)
    #expect(result.status == status)
    #expect(result.error.contains(message), "\(result.error)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/lite.tiobundle"))
  }
}

/// Outputs that aren't numbers.
@Suite(
  .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."),
  .timeLimit(.minutes(10)))
struct ConvertStringTests {
  private static let program = """
    import sys
    import tensorflow as tf
    names = tf.constant(["zero", "one", "two"])
    class Names(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], tf.int32, name="index")])
        def name(self, index):
            return {"name": tf.gather(names, index), "next": index + 1}
    model = Names()
    tf.saved_model.save(model, sys.argv[1], signatures={"serving_default": model.name})
    """

  @Test func `strings are compared, too`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/names.tiobundle"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    try await Python.run(["-c", Self.program, bundle + "/model"])
    try """
    {"name": "Names", "details": "", "id": "names", "version": "1", "author": "", "license": "",
     "model": {"file": "model", "quantized": false},
     "inputs": [{"name": "index", "type": "array", "shape": [2], "dtype": "int32"}],
     "outputs": [{"name": "name", "type": "string", "shape": [2], "dtype": "string"},
       {"name": "next", "type": "array", "shape": [2], "dtype": "int32"}]}
    """.write(toFile: bundle + "/model.json", atomically: true, encoding: .utf8)
    let result = try await CommandRunner.run([
      "convert", bundle, "-o", folder.path + "/lite.tiobundle",
    ])
    #expect(result.status == 0)
    #expect(result.error.contains("'name' 0 other strings"), "\(result.error)")
  }
}
