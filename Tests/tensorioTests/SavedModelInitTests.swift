// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

/// `tensorio init` on SavedModels.
@Suite(
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct SavedModelInitTests {
  private let folder: TemporaryFolder
  private var bundle: String { folder.path + "/made.tiobundle" }

  init() throws { folder = try TemporaryFolder() }

  /// Makes the bundle and replaces its path in the output with `BUNDLE`.
  private func make(_ model: String, _ arguments: String...) async throws -> CommandRunner.Result {
    let path = model.contains("/") ? model : "\(savedModelsFolder)/\(model)"
    let result = try await CommandRunner.run(["init", path, "-o", bundle] + arguments)
    return (
      result.status, result.output.replacing(bundle, with: "BUNDLE"),
      result.error.replacing(bundle, with: "BUNDLE")
    )
  }

  /// The model.json after the members that a person fills in.
  private var description: String {
    get throws {
      let text = try String(contentsOfFile: bundle + "/model.json", encoding: .utf8)
      let start = try #require(text.firstRange(of: #"  "model": "#)).lowerBound
      return String(text[start...])
    }
  }

  private static let filledIn = "fill in: details, author, license in BUNDLE/model.json\n"

  @Test func `a SavedModel becomes a bundle`() async throws {
    #expect(try await make("tf2") == (0, "BUNDLE\n", Self.filledIn))
    #expect(
      try description == """
          "model": {
            "file": "predict",
            "quantized": false,
            "backend": "tensorflow",
            "modes": ["predict"]
          },
          "inputs": [
            {
              "name": "x",
              "type": "array",
              "shape": [-1, 2]
            }
          ],
          "outputs": [
            {
              "name": "difference",
              "type": "array",
              "shape": [-1]
            },
            {
              "name": "sum",
              "type": "array",
              "shape": [-1]
            }
          ]
        }

        """)
    let files = try FileManager.default.subpathsOfDirectory(atPath: bundle).sorted()
    #expect(
      files == [
        "model.json", "predict", "predict/saved_model.pb", "predict/variables",
        "predict/variables/variables.data-00000-of-00001", "predict/variables/variables.index",
      ])
    #expect(try folder.contents == ["made.tiobundle"])
    #expect(ModelBundle.issues(at: bundle).isEmpty)
  }

  @Test func `a training graph becomes a bundle for training`() async throws {
    #expect(
      try await make("train_line") == (
        0, "BUNDLE\n",
        Self.filledIn + """
          check: the signature 'train' was used; the model also has 'serving_default', which \
          --signature selects
          check: train.ops: 'train' is assumed to be the operation of a training step

          """
      ))
    #expect(
      try description == """
          "model": {
            "file": "train",
            "quantized": false,
            "backend": "tensorflow",
            "modes": ["train"],
            "signature": "train"
          },
          "inputs": [
            {
              "name": "x",
              "type": "array",
              "shape": [-1, 2]
            },
            {
              "name": "y",
              "type": "array",
              "shape": [-1, 1]
            }
          ],
          "outputs": [
            {
              "name": "loss",
              "type": "scalar",
              "shape": []
            },
            {
              "name": "mean_error",
              "type": "scalar",
              "shape": []
            }
          ],
          "placeholders": [
            {
              "name": "learning_rate",
              "type": "scalar",
              "shape": []
            }
          ],
          "train": {
            "ops": ["train"]
          }
        }

        """)
  }

  @Test(arguments: [("train_line", "train"), ("tf2_train", "train"), ("train_adam", "train")])
  func `a bundle that init makes can be trained`(model: String, signature: String) async throws {
    #expect(try await make(model, "--signature", signature).status == 0)
    let trainable = try TrainableModel(at: bundle, loader: ModelLoader(backends: [.tensorFlow]))
    let specs = try trainable.loadSignature()
    var batch = Batch(keys: specs.inputs.map(\.name))
    for item in 0..<4 {
      try batch.addItem(
        Dictionary(
          uniqueKeysWithValues: specs.inputs.map { spec in
            let value = spec.dataType == .int64 ? 1 : Float(item)
            return (spec.name, [Float](repeating: value, count: spec.elementCount))
          }))
    }
    // The scalars beside the batch are settings: a learning rate, or the share that dropout keeps.
    let isRate = specs.placeholders.map(\.name).filter { $0.contains("rate") }
    let settings = Dictionary(uniqueKeysWithValues: isRate.map { ($0, Float(0.01)) })
    var losses: [Float] = []
    for _ in 0..<20 {
      losses.append(try await trainable.train(batch, placeholders: settings)["loss"])
    }
    #expect(losses.allSatisfy(\.isFinite) && losses[19] < losses[0], "\(losses)")
  }

  @Test func `a training graph without a loss is reported`() async throws {
    #expect(
      try await make("Demo/digits-train.tiobundle/train") == (
        0, "BUNDLE\n",
        Self.filledIn + """
          check: outputs: none is a single number, such as a loss; add the operation of the loss
          check: train.ops: 'train' is assumed to be the operation of a training step
          check: type of 'image': a gray image is assumed; if it isn't one, change the type to \
          "array"
          check: normalize of 'image': the model doesn't specify it; pixel values 0...255 are passed
          check: labels of 'probabilities': the model has none; if it is a classifier, put the \
          class names into assets/labels.txt and add "labels": "labels.txt"

          """
      ))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.inputs.map(\.name) == ["image", "label"])
    #expect(manifest.placeholders.map(\.name) == ["learning_rate"])
    #expect(manifest.outputs.map(\.name) == ["probabilities"])
  }

  // MARK: - What a signature leaves out

  @Test(arguments: [("unfed", "hidden"), ("default_placeholder", "rate")])
  func `scalars that the signature doesn't list become placeholders`(
    model: String, name: String
  ) async throws {
    #expect(try await make(model) == (0, "BUNDLE\n", Self.filledIn))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.inputs.map(\.name) == ["x"])
    #expect(manifest.placeholders.map(\.name) == [name])
    #expect(manifest.placeholders[0].kind == .scalar(nil))
  }

  @Test func `without a signature, the outputs are left for the user to describe`() async throws {
    #expect(
      try await make("no_signature") == (
        0, "BUNDLE\n",
        """
        fill in: details, author, license, outputs in BUNDLE/model.json
        check: outputs: the model has no signature that lists them; describe the operations \
        to read; nothing in the graph reads 'tripled'

        """
      ))
    let manifest = try ModelBundle(bundle).manifest
    #expect(manifest.inputs.map(\.name) == ["x"] && manifest.outputs.isEmpty)
    // The message is enough to complete the bundle.
    let file = URL(filePath: bundle + "/model.json")
    let outputs = #""outputs": [\#(SavedModelBundle.layer("tripled", [4]))]"#
    try String(contentsOf: file, encoding: .utf8).replacing(/"outputs": \[\s*\]/, with: outputs)
      .write(to: file, atomically: true, encoding: .utf8)
    let run = try await CommandRunner.runWithoutTimes(["run", bundle, "[1, 2, 3, 4]"])
    #expect(run == (0, "tripled  [3.0, 6.0, 9.0, 12.0]\n", Latencies.line))
  }

  @Test func `an unknown rank is listed as a check`() async throws {
    #expect(
      try await make("unknown_rank") == (
        0, "BUNDLE\n",
        Self.filledIn + """
          check: shape of 'x': the model allows any shape; one value is assumed
          check: shape of 'doubled': the model allows any shape; one value is assumed

          """
      ))
    #expect(try ModelBundle(bundle).manifest.inputs[0].shape == [1])
  }

  @Test func `images are described as for other models`() async throws {
    #expect(
      try await make("picture") == (
        0, "BUNDLE\n",
        Self.filledIn + """
          check: format of 'image': the model doesn't specify it; RGB is assumed
          check: normalize of 'image': the model doesn't specify it; pixel values 0...255 are passed
          check: type of 'same': an array is assumed; if it is an image, change the type to \
          "image" with "format" and "denormalize"

          """
      ))
  }

  @Test func `a second graph in the file is reported`() async throws {
    #expect(
      try await make("two_tags") == (
        0, "BUNDLE\n",
        Self.filledIn
          + "check: the graph with the tag 'serve' was used; the model also has 'train'\n"
      ))
    #expect(try ModelBundle(bundle).manifest.model.modes == .predict)
  }

  // MARK: - Copying

  @Test func `links are followed, and hidden files aren't copied`() async throws {
    let model = folder.path + "/linked"
    try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: false)
    let source = CommandRunner.packageFolder.appending(path: "\(savedModelsFolder)/tf2").path
    for name in ["saved_model.pb", "variables"] {
      try FileManager.default.createSymbolicLink(
        atPath: model + "/" + name, withDestinationPath: source + "/" + name)
    }
    try Data("x".utf8).write(to: URL(filePath: model + "/.hidden"))
    #expect(try await make(model).status == 0)
    let copy = try FileManager.default.contentsOfDirectory(atPath: bundle + "/predict")
    #expect(copy.sorted() == ["saved_model.pb", "variables"])
    let kind = try FileManager.default.attributesOfItem(
      atPath: bundle + "/predict/saved_model.pb")[.type]
    #expect(kind as? FileAttributeType == .typeRegular)
  }

  @Test func `a bundle in the model's own folder is refused`() async throws {
    let model = folder.path + "/made.tiobundle-model"
    let source = CommandRunner.packageFolder.appending(path: "\(savedModelsFolder)/vector").path
    try FileManager.default.copyItem(atPath: source, toPath: model)
    let inside = try await CommandRunner.run(["init", model, "-o", model + "/x.tiobundle"])
    #expect(inside.status == 64 && inside.output == "")
    #expect(inside.error.contains("can't be created inside the model's own folder"))
    // A folder whose name only starts the same is accepted.
    #expect(try await make(model).status == 0)
  }

  // MARK: - Errors

  @Test(
    arguments: [
      ("unknown_op", [], 65, "needs the operation 'NoSuchOperation'"),
      ("tf2", ["--signature", "halve"], 64, "it has 'serving_default'."),
      ("vector/saved_model.pb", [], 65, "Pass the folder that contains it"),
      ("nothing", [], 66, "There is no file"),
      ("../../../Demo/digits.tiobundle", [], 65, "is already a bundle"),
    ] as [(String, [String], Int32, String)])
  func `a bundle that can't be made is an error that leaves no files`(
    model: String, arguments: [String], status: Int32, message: String
  ) async throws {
    let result = try await CommandRunner.run(
      ["init", "\(savedModelsFolder)/\(model)", "-o", bundle] + arguments)
    #expect(result.status == status && result.output == "")
    #expect(result.error.contains(message), "\(result.error)")
    #expect(try folder.contents.isEmpty)
  }

  @Test func `without TensorFlow's library, no bundle is made`() async throws {
    let result = try await CommandRunner.run(
      ["init", "\(savedModelsFolder)/vector", "-o", bundle], environment: withoutTensorFlow)
    #expect(result == (69, "", "error: \(tensorFlowIsMissing)\n"))
    #expect(try folder.contents.isEmpty)
  }
}
