// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import TensorIOLiteRT

/// Writes metadata without the native library.
@Suite struct TFLiteMetadataWriterTests {
  private static let models = Python.root.appending(path: "Tests/Fixtures/Models")
  /// Every fixture with a graph that can be described.
  static let names: [String] = {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: models.path)) ?? []
    return all.filter { $0.hasSuffix(".tflite") }.sorted()
  }()

  private static func model(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: models.appending(path: name)))
  }

  /// Metadata with every field, for a model with these numbers of inputs and outputs.
  static func metadata(
    _ inputs: Int, _ outputs: Int, labels: [String] = ["small", "größer"]
  ) -> ModelMetadata {
    var image = TensorMetadata()
    image.name = "image"
    image.description = "RGB, from -1 to 1."
    image.content = .image(.rgb, width: 6, height: 8)
    image.normalization = .init(mean: [1, 2, 127.5], std: [0.25, 60, 127.5])
    image.minimum = [-1, -2, -1]
    image.maximum = [1, 2, 1]
    var scores = TensorMetadata(labels: labels)
    scores.name = "scores"
    scores.content = .features
    scores.valueLabels = ["one", "two"]
    scores.scoreThreshold = 0.25
    return ModelMetadata(
      name: "Sizes", description: "Tells a size.", version: "1.2", author: "TensorIO for Swift",
      license: "Apache-2.0", inputs: (0..<inputs).map { $0 == 0 ? image : TensorMetadata() },
      outputs: (0..<outputs).map { $0 == 0 ? scores : TensorMetadata() })
  }

  /// Returns a model with metadata that fits it.
  private static func written(_ model: [UInt8]) throws -> (bytes: [UInt8], ModelMetadata) {
    let structure = try structure(model)
    let graph = try #require(structure.graphs.first)
    let metadata = metadata(graph.inputs.count, graph.outputs.count)
    return (try TFLiteMetadataWriter(metadata).bytes(adding: model, path: "m.tflite"), metadata)
  }

  private static func structure(_ model: [UInt8]) throws -> ModelStructure {
    try model.withUnsafeBytes { file in
      var reader = FlatBufferReader(file, visits: file.count)
      return try ModelStructure(file, &reader)
    }
  }

  /// Reads the metadata from a file.
  private static func read(_ file: [UInt8]) throws -> ModelMetadata {
    try file.withUnsafeBytes { bytes in
      var reader = FlatBufferReader(bytes, visits: bytes.count)
      let root = try reader.root(identifier: "TFL3")
      var index: Int?
      for entry in try reader.tables(6, of: root)
      where try reader.string(0, of: entry) == "TFLITE_METADATA" {
        #expect(index == nil, "two entries")
        index = Int(try reader.integer(1, of: entry))
      }
      let buffers = try ModelStructure(bytes, &reader).buffers
      let position = try #require(index)
      let range = try #require(buffers[position])
      return MetadataReader.read(Array(bytes[range]), file: bytes)
    }
  }

  @Test(arguments: names) func `every field is read as it was written`(_ name: String) throws {
    let model = try Self.model(name)
    let (bytes, metadata) = try Self.written(model)
    #expect(try Self.read(bytes) == metadata)
  }

  @Test(arguments: names)
  func `graphs, signatures and elements of tensors don't change`(_ name: String) throws {
    let model = try Self.model(name)
    let bytes = try Self.written(model).bytes
    let before = try Self.structure(model)
    let after = try Self.structure(bytes)
    #expect(after.buffers.count >= before.buffers.count)
    for (old, new) in zip(before.graphs, after.graphs) {
      #expect(old.tensors.map(\.name) == new.tensors.map(\.name))
      #expect(old.operations.map(\.inputs) == new.operations.map(\.inputs))
      for tensor in old.tensors {
        let (range, other) = (before.buffers[tensor.buffer], after.buffers[tensor.buffer])
        #expect(range.map { Array(model[$0]) } == other.map { Array(bytes[$0]) })
        // Elements keep their alignment up to 64 bytes.
        #expect((range?.lowerBound ?? 0) % 64 == (other?.lowerBound ?? 0) % 64)
      }
    }
    #expect(before.signatures.map(\.key) == after.signatures.map(\.key))
  }

  @Test(arguments: names) func `writing twice equals writing once`(_ name: String) throws {
    let (bytes, metadata) = try Self.written(try Self.model(name))
    let writer = TFLiteMetadataWriter(metadata)
    #expect(try writer.bytes(adding: bytes, path: "m.tflite") == bytes)
    // The same holds after other metadata, if its files have the same names.
    var other = metadata
    other.name = String(repeating: "long ", count: 100)
    other.outputs[0].labels = ["other"]
    let changed = try TFLiteMetadataWriter(other).bytes(adding: bytes, path: "m.tflite")
    #expect(changed != bytes)
    #expect(try writer.bytes(adding: changed, path: "m.tflite") == bytes)
  }

  @Test func `other files are kept, uncompressed`() throws {
    var model = try Self.model("classifier_labels.tflite")
    let files = ["labels.txt", "vocabulary.txt"].map {
      ZipArchive.File(name: $0, content: Array("old".utf8))
    }
    try ZipArchive.append(files, to: &model)
    let bytes = try TFLiteMetadataWriter(Self.metadata(1, 1)).bytes(adding: model, path: "m")
    let found = try bytes.withUnsafeBytes { file in
      var archive = try ZipArchive(file)
      return try archive.files().map {
        "\($0.name): \(String(decoding: $0.content, as: UTF8.self))"
      }
    }
    #expect(
      found == [
        "labels.txt: small\ngrößer\n", "labels-2.txt: one\ntwo\n", "vocabulary.txt: old",
      ])
  }

  @Test func `metadata without labels needs no zip archive`() throws {
    let model = try Self.model("add.tflite")
    let graph = try #require(try Self.structure(model).graphs.first)
    let metadata = ModelMetadata(
      name: "Sum", inputs: graph.inputs.map { _ in TensorMetadata() },
      outputs: graph.outputs.map { _ in TensorMetadata() })
    let bytes = try TFLiteMetadataWriter(metadata).bytes(adding: model, path: "m")
    #expect(bytes.withUnsafeBytes { ZipArchive.findEnd(in: $0) } == nil)
    #expect(try Self.read(bytes) == metadata)
  }

  @Test(
    arguments: [
      ("two_signatures.tflite", "square", "runs another one"),
      ("add.tflite", "missing", "it has no signature 'missing'"),
      ("add.tflite", nil, "inputs, but the metadata describes 7"),
    ] as [(String, String?, String)])
  func `metadata that doesn't fit the model is an error`(
    _ name: String, _ signature: String?, _ reason: String
  ) throws {
    let model = try Self.model(name)
    let writer = TFLiteMetadataWriter(Self.metadata(7, 1), signature: signature)
    let error = #expect(throws: TensorIOError.self) { try writer.bytes(adding: model, path: "m") }
    #expect(error?.code == .unsupportedModel)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `MediaPipe's anchors can be kept`() throws {
    let model = [UInt8](
      try Data(contentsOf: Python.root.appending(path: "Tests/Fixtures/Recognized/anchored.tflite"))
    )
    let old = try Self.read(model)
    #expect(old.detector?.anchors.count == 4)
    var metadata = Self.metadata(1, 2)
    metadata.detector = old.detector
    let bytes = try TFLiteMetadataWriter(metadata).bytes(adding: model, path: "m")
    #expect(try Self.read(bytes) == metadata)
  }

  @Test func `a label with a line break is an error`() throws {
    let model = try Self.model("classifier_labels.tflite")
    let writer = TFLiteMetadataWriter(Self.metadata(1, 1, labels: ["a\nb"]))
    #expect(throws: TensorIOError.self) { try writer.bytes(adding: model, path: "m") }
  }

  @Test(
    arguments: ["classifier_labels.tflite", "with_metadata.tflite", "external_buffers.tflite"])
  func `a damaged model gives an error or a valid file`(_ name: String) throws {
    let model = try Self.model(name)
    let once = try Self.written(model).bytes
    var results = (valid: 0, errors: 0)
    func check(_ damaged: [UInt8]) throws {
      do {
        let bytes = try TFLiteMetadataWriter(Self.metadata(1, 1)).bytes(adding: damaged, path: "m")
        _ = try Self.structure(bytes)
        #expect(try Self.read(bytes).name == "Sizes")
        results.valid += 1
      } catch is TensorIOError {
        results.errors += 1
      }
    }
    var random = RandomBytes(seed: 3)
    for file in [model, once] {
      for _ in 0..<500 {
        try check(Array(file.prefix(Int(random.next() % UInt64(file.count)))))
        var damaged = file
        for _ in 0...(random.next() % 3) {
          damaged[Int(random.next() % UInt64(file.count))] = UInt8(
            truncatingIfNeeded: random.next())
        }
        try check(damaged)
      }
    }
    #expect(results.valid > 100 && results.errors > 100)
  }

  // MARK: - Python

  private struct Case: Encodable {
    var before: String
    var after: String
    var runs: Bool
  }

  @Test(
    .enabled(
      if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs ai-edge-litert."))
  func `Python reads every field, and computes the same`() async throws {
    // These crash LiteRT or need what its interpreter in Python doesn't have.
    let idle = [
      "blockwise", "crash_on_run", "custom_op", "edgetpu", "endless", "oversized", "slow",
    ]
    let unsafe =
      idle + ["train_flex", "detector", "string", "reverse_bfloat16", "resource_variable"]
    var cases: [Case] = []
    for name in Self.names {
      let model = try Self.model(name)
      let after = try Self.written(model).bytes
      cases.append(
        Case(
          before: Data(model).base64EncodedString(), after: Data(after).base64EncodedString(),
          runs: !unsafe.contains { name.hasPrefix($0) }))
    }
    let output = try await Python.run(
      ["Tools/peers/read_metadata.py"], input: JSONEncoder().encode(cases))
    let json = try JSONSerialization.jsonObject(with: Data(output.utf8))
    let answers = try #require(json as? [NSDictionary])
    try #require(answers.count == cases.count)
    for (name, answer) in zip(Self.names, answers) {
      #expect(answer["isOtherwiseEqual"] as? Bool == true, "\(name)")
      #expect(answer["computesTheSame"] as? Bool == true, "\(name)")
      #expect(answer["misaligned"] as? [Int] == [], "\(name)")
      let files = try #require(answer["files"] as? [String: String])
      #expect(files["labels.txt"] == "small\ngrößer\n" && files["labels-2.txt"] == "one\ntwo\n")
      let model = try #require(answer["model"] as? NSDictionary)
      #expect(
        model["texts"] as? [String] == [
          "Sizes", "Tells a size.", "1.2", "TensorIO for Swift", "Apache-2.0", "1.0.0",
        ])
      let image: NSDictionary = [
        "name": "image", "description": "RGB, from -1 to 1.", "content": 2, "color": 1,
        "size": [6, 8], "mean": [1, 2, 127.5], "std": [0.25, 60, 127.5], "min": [-1, -2, -1],
        "max": [1, 2, 1], "files": [NSString](),
      ]
      #expect((model["inputs"] as? [NSDictionary])?.first ?? image == image, "\(name)")
      let scores: NSDictionary = [
        "name": "scores", "content": 1, "threshold": 0.25,
        "files": [["labels.txt", 2], ["labels-2.txt", 3]] as [NSArray],
      ]
      #expect((model["outputs"] as? [NSDictionary])?.first == scores, "\(name)")
    }
  }
}
