// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct InitTests {
  @Test func `a model with metadata becomes a complete bundle`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/colours.tiobundle"
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/image_with_metadata.tflite", "-o", bundle,
    ])
    #expect(result == (0, bundle + "\n", ""))
    #expect(
      try String(contentsOfFile: bundle + "/model.json", encoding: .utf8) == """
        {
          "name": "Dominant colour",
          "details": "Tells which of the three colours is the strongest in a picture.",
          "id": "colours",
          "version": "1",
          "author": "TensorIO for Swift",
          "license": "Apache-2.0",
          "model": {
            "file": "model.tflite",
            "quantized": false,
            "type": "image.classification",
            "backend": "tflite",
            "modes": ["predict"]
          },
          "inputs": [
            {
              "name": "image",
              "type": "image",
              "shape": [8, 6, 3],
              "format": "RGB",
              "normalize": {
                "standard": "[-1,1]"
              }
            }
          ],
          "outputs": [
            {
              "name": "probabilities",
              "type": "array",
              "shape": [1, 3],
              "labels": "labels.txt"
            }
          ],
          "options": {
            "device_position": "back",
            "output_format": "image.classification.imagenet"
          }
        }

        """)
    let labels = try String(contentsOfFile: bundle + "/assets/labels.txt", encoding: .utf8)
    #expect(labels == "red\ngreen\nblue\n")
    #expect(try folder.contents == ["colours.tiobundle"])
    #expect(ModelBundle.issues(at: bundle).isEmpty)
  }

  @Test func `missing details are marked in model.json and listed on standard error`() async throws
  {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/My Model.tiobundle"
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/identity_image.tflite", "-o", bundle + "/",
    ])
    #expect(
      result == (
        0, bundle + "\n",
        """
        fill in: details, author, license in \(bundle)/model.json
        check: format of 'image': the model doesn't specify it; RGB is assumed
        check: normalize of 'image': the model doesn't specify it; pixel values 0...255 are passed
        check: type of 'output': an array is assumed; if it is an image, change the type to \
        "image" with "format" and "denormalize"

        """
      ))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.name == "My Model")
    #expect(manifest.id == "my-model")
    #expect(manifest.details == "(fill in: what the model does)")
    #expect(manifest.author == "(fill in: who made the model)")
    #expect(manifest.license == "(fill in: the model's license)")
  }

  @Test func `quantized vectors use the quantization that the model stores`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/int8.tiobundle"
    _ = try await CommandRunner.run([
      "init", "\(modelsFolder)/int8_quantized.tflite", "-o", bundle,
    ])
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.model.isQuantized)
    #expect(manifest.inputs[0].kind == .array(.model, labelsFile: nil))
    #expect(manifest.outputs[0].kind == .array(.model, labelsFile: nil))
    let model = try ModelLoader(backends: [.liteRT]).model(at: bundle)
    let probabilities: [Float] = try await model.run([Float](repeating: 0.5, count: 4))
      .value(at: 0)
    #expect(abs(probabilities.reduce(0, +) - 1) < 0.02)
  }

  /// The bundle's outputs equal the bytes that Python's interpreter returned.
  @Test(arguments: GoldenRun.all)
  func `a bundle drafted from a runnable model gives the outputs that Python gives`(
    golden: GoldenRun
  ) async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/made.tiobundle"
    let key = golden.signature.map { ["--signature", $0] } ?? []
    let made = try await CommandRunner.run(
      ["init", "\(modelsFolder)/\(golden.file)", "-o", bundle] + key)
    try #require(made.status == 0, "\(made.error)")

    let loader = ModelLoader(backends: [.liteRT], signatureKey: golden.signature)
    let model = try loader.model(at: bundle)
    let inputs = try model.loadSignature().inputs
    let outputs = try await model.run(
      ModelInputs(list: zip(golden.inputs, inputs).map { try $0.value(for: $1) }))
    guard golden.tolerance == 0 else { return }
    for (index, output) in golden.outputs.enumerated() where output.dtype != "string" {
      let tensor = try outputs.value(at: index, as: Tensor.self)
      tensor.withBytes { bytes in
        bytes.withUnsafeBytes { #expect(Data($0) == output.bytes) }
      }
    }
  }

  @Test func `the table of golden runs is read`() { #expect(GoldenRun.all.count > 25) }

  @Test(arguments: ["uint64", "bfloat16"])
  func `a data type that model.json can't describe is an error`(type: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/reverse_\(type).tflite", "-o", folder.path + "/x.tiobundle",
    ])
    #expect(
      result == (
        65, "",
        "error: The input 'x' has \(type) values, which a layer of a model.json can't describe. "
          + "Convert the model with another type.\n"
      ))
    #expect(try folder.contents.isEmpty)
  }

  @Test func `a bundle whose model can't run is written with a note`() async throws {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/custom_op.tflite", "-o", folder.path + "/x.tiobundle",
    ])
    #expect(result.status == 0)
    #expect(
      result.error.contains("check: the bundle was written, but its model can't be run: "))
  }

  @Test func `a detector gets the type image.detection and the names and shapes of its outputs`()
    async throws
  {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/detector.tiobundle"
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/detector.tflite", "-o", bundle,
    ])
    #expect(result.status == 0)
    #expect(!result.error.contains("partial-output") && result.error.contains("decode.labels"))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.model.type == "image.detection")
    #expect(manifest.outputs.map(\.name) == ["boxes", "classes", "scores", "count"])
    #expect(manifest.outputs.map(\.shape) == [[1, 4, 4], [1, 4], [1, 4], [1]])
    #expect(manifest.outputs[0].coding?.type == "tflite-postprocess")
    #expect(try await CommandRunner.run(["validate", bundle]).status == 0)
  }

  @Test func `validate warns about texts that are still to be filled in`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/x.tiobundle"
    _ = try await CommandRunner.run(["init", "\(modelsFolder)/add.tflite", "-o", bundle])
    let result = try await CommandRunner.run(["validate", bundle])
    #expect(result.status == 0)
    for key in ["details", "author", "license"] {
      #expect(result.output.contains("warning [unfinished-text] at \(key)\n"), "\(result.output)")
    }
    let run = try await CommandRunner.run(["run", bundle, "2"])
    #expect(!run.error.contains("unfinished-text"))
  }

  @Test func `a model for an Edge TPU is refused but can be inspected`() async throws {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/edgetpu.tflite", "-o", folder.path + "/x.tiobundle",
    ])
    #expect(result.status == 65)
    #expect(result.error.contains("compiled for a Coral Edge TPU"), "\(result.error)")
    #expect(result.error.contains("the input of edgetpu_compiler"), "\(result.error)")
    #expect(try folder.contents.isEmpty)
    let layer = #""shape": [8, 8, 3], "format": "RGB"}"#
    let bundle = try TemporaryBundle(
      "edgetpu", quantized: true, inputs: [#"{"name": "image", "type": "image", \#(layer)"#],
      outputs: [#"{"name": "scores", "type": "array", "shape": [3]}"#])
    let run = try await CommandRunner.run(["run", bundle.path, "[0]"])
    #expect(run.status == 65 && run.error.contains("the input of edgetpu_compiler"), "\(run.error)")
    let inspected = try await CommandRunner.run(["inspect", "\(modelsFolder)/edgetpu.tflite"])
    #expect(inspected.status == 0)
  }

  @Test func `an existing folder is replaced only with --force`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/x.tiobundle"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(filePath: bundle + "/note.txt"))
    let arguments = ["init", "\(modelsFolder)/add.tflite", "-o", bundle]
    let refused = try await CommandRunner.run(arguments)
    #expect(refused.status == 64)
    #expect(refused.output == "")
    #expect(
      refused.error.hasPrefix("Error: '\(bundle)' already exists. Pass --force to replace it.\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bundle) == ["note.txt"])

    #expect(try await CommandRunner.run(arguments + ["--force"]).status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bundle).sorted()
        == ["model.json", "model.tflite"])
    #expect(try folder.contents == ["x.tiobundle"])
  }

  @Test func `a bundle can be recreated in place from its own model`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/x.tiobundle"
    _ = try await CommandRunner.run(["init", "\(modelsFolder)/add.tflite", "-o", bundle])
    let again = try await CommandRunner.run([
      "init", bundle + "/model.tflite", "-o", bundle, "--force",
    ])
    #expect(again.status == 0)
    #expect(ModelBundle.issues(at: bundle).isEmpty)
  }

  @Test(arguments: [
    (["add.tflite", "-o", "x.bundle"], 64, "must end with .tiobundle"),
    (["add.tflite", "-o", "nowhere/x.tiobundle"], 66, "There is no folder"),
    (["nothing.tflite", "-o", "x.tiobundle"], 66, "There is no file"),
    (["../Models", "-o", "x.tiobundle"], 65, "neither a bundle"),
    (["README.md", "-o", "x.tiobundle"], 65, "not a valid TensorFlow Lite model"),
    (["two_signatures.tflite", "-o", "x.tiobundle", "--signature", "cube"], 64, "'double'"),
    (["add.tflite"], 64, "--output"),
  ])
  func `wrong arguments are refused`(
    arguments: [String], status: Int32, message: String
  ) async throws {
    let folder = try TemporaryFolder()
    let paths = arguments.enumerated().map { index, word in
      index == 0
        ? "\(modelsFolder)/\(word)" : index == 2 ? "\(folder.path)/\(word)" : word
    }
    let result = try await CommandRunner.run(["init"] + paths)
    #expect(result.status == status)
    #expect(result.output == "")
    #expect(result.error.contains(message))
    #expect(try folder.contents.isEmpty)
  }

  @Test func `a bundle can be made from a model's second signature`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/square.tiobundle"
    let result = try await CommandRunner.run([
      "init", "\(modelsFolder)/two_signatures.tflite", "--output", bundle, "--signature", "square",
    ])
    #expect(
      result.error == """
        fill in: details, author, license in \(bundle)/model.json
        check: the signature 'square' was used; the model also has 'double', which --signature \
        selects

        """)
    let run = try await CommandRunner.run(["run", bundle, "[3, -4]"])
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("[9.0, 16.0]\n"))
    #expect(try ModelBundle(bundle).manifest.inputs.map(\.name) == ["number"])
  }
}

/// A model, its inputs, and the outputs of Python's interpreter.
struct GoldenRun: Decodable, Sendable, CustomTestStringConvertible {
  var file: String
  var signature: String?
  var tolerance: Double
  var inputs: [Values]
  var outputs: [Values]

  var testDescription: String { "\(file) \(signature ?? "")" }

  struct Values: Decodable, Sendable {
    var dtype: String
    var shape: [Int]
    var base64: String

    var bytes: Data { Data(base64Encoded: base64) ?? Data() }

    /// The value for a layer: a tensor with these bytes, or texts for a string layer.
    func value(for spec: TensorSpec) throws -> any TensorEncodable {
      guard spec.dataType != .string else {
        return [String](repeating: "text", count: shape.reduce(1, *))
      }
      let bytes = [UInt8](bytes)
      return try Tensor(
        copying: bytes.span.bytes, dataType: spec.dataType,
        shape: [bytes.count / spec.dataType.byteWidth])
    }
  }

  /// The first run of each signature of each model, without models that the backend refuses or
  /// whose inputs have data types that a layer can't describe.
  static let all: [GoldenRun] = {
    struct Table: Decodable { var cases: [GoldenRun] }
    let path = CommandRunner.packageFolder.appending(path: modelsFolder + "/expected.json")
    guard let data = try? Data(contentsOf: path),
      let table = try? JSONDecoder().decode(Table.self, from: data)
    else { return [] }
    var seen: Set<String> = []
    return table.cases.filter { run in
      let isDescribable = run.inputs.allSatisfy { DataType(rawValue: $0.dtype) != nil }
      guard isDescribable, !run.file.hasPrefix("blockwise") else { return false }
      return seen.insert("\(run.file) \(run.signature ?? "")").inserted
    }
  }()
}
