// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TensorIOTensorFlow
import TestSupport
import Testing

/// Compares training in Swift with training in Python, for each layout of a SavedModel.
@Suite struct TrainingLayoutTests {
  /// What `Tools/peers/train_layouts.py` prints.
  private struct Peer: Decodable {
    struct Item: Decodable {
      let x: [Float]
      let label: Int
    }

    let losses: [String: [Double]]
    /// Those of four epochs with the items of the first 25 steps.
    let repeated: [String: [Double]]
    /// Those with weights and clipped gradients.
    let weighted: [Double]
    let batches: [[Item]]
    /// The values in the first 120 steps of 100.
    let schedules: [String: [Double]]
  }

  private static let layers = (
    inputs: [
      #"{"name": "x", "type": "array", "shape": [-1, 2], "dtype": "float32"}"#,
      #"{"name": "label", "type": "array", "shape": [-1], "dtype": "int32"}"#,
    ],
    outputs: [#"{"name": "loss", "type": "scalar", "shape": []}"#]
  )

  /// Writes a bundle beside a SavedModel, and returns its model.
  private func model(
    _ layout: String, in folder: String, inputs: [String] = layers.inputs,
    outputs: [String] = layers.outputs, placeholders: [String]? = nil
  ) throws -> TrainableModel {
    let names = placeholders ?? (layout == "module" || layout == "graph" ? ["rate"] : [])
    let values = names.map { #"{"name": "\#($0)", "type": "scalar", "shape": []}"# }
    let path = folder + "/\(layout)-\(UUID()).tiobundle"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: folder + "/" + layout, toPath: path + "/train")
    let manifest = """
      {"name": "\(layout)", "details": "", "id": "\(layout)", "version": "1", "author": "", "license": "",
       "model": {"file": "train", "quantized": false, "backend": "tensorflow", "modes": ["train"]},
       "inputs": [\(inputs.joined(separator: ","))],
       "outputs": [\(outputs.joined(separator: ","))],
       "placeholders": [\(values.joined(separator: ","))], "train": {"ops": ["train"]}}
      """
    try manifest.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    return try TrainableModel(at: path, loader: Self.loader)
  }

  private static let loader = ModelLoader(backends: [.tensorFlow])

  @Test func `a hundred steps give Python's losses in every layout`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "layouts-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let output = try await Python.compute([
      "Tools/peers/train_layouts.py", folder, "Documentation/Training.md",
      "Tests/Fixtures/Models/train_builtin.tflite",
    ])
    let peer = try JSONDecoder().decode(Peer.self, from: Data(output.utf8))
    #expect(peer.losses.count == 4)
    for (layout, expected) in peer.losses {
      let losses = try train(model(layout, in: folder), on: peer.batches)
      #expect(losses.count == 100)
      #expect(
        zip(losses, expected).allSatisfy { abs($0 - $1) < 1e-5 }, "\(layout): \(losses) \(expected)"
      )
      #expect(expected[99] < 0.9 * expected[0], "\(layout)")
    }
    try checkWeights(in: folder, peer)
    try checkSchedules(peer)
    try await checkNatural(in: folder, peer)
    try await checkKilled(in: folder, peer)
    try checkOutputsOfTwoSignatures(in: folder, peer)
    try await checkCommands(in: folder, peer)
  }

  private func train(
    _ model: TrainableModel, on batches: [[Peer.Item]]
  ) throws -> [Double] {
    let names = try model.loadSignature().placeholders.map(\.name)
    let placeholders = names.isEmpty ? [:] : ["rate": 0.1 as any TensorEncodable]
    return try batches.map { items in
      let batch = try batch(items)
      let loss: Double = try model.train(batch, placeholders: placeholders)["loss"]
      // An evaluation trains nothing, so it gives the same loss.
      let evaluated: Double = try model.evaluate(batch, placeholders: placeholders)["loss"]
      #expect(evaluated == loss)
      return loss
    }
  }

  /// A process that trains is killed after each epoch.
  ///
  /// Those that go on give Python's losses.
  private func checkKilled(in folder: String, _ peer: Peer) async throws {
    let items = peer.batches.prefix(25).flatMap(\.self)
    func write(_ lines: [String], to name: String) throws {
      try lines.joined(separator: "\n").write(
        toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
    try write(items.map { #"{"x": \#($0.x), "label": \#($0.label)}"# }, to: "items.jsonl")
    try write(
      items.map { item in
        let label = item.label == 0 ? [1, 0] : [0, 1]
        return #"{"x": \#(item.x + item.x.prefix(1)), "y": \#(label)}"#
      }, to: "files.jsonl")
    #expect(peer.repeated.count == 5)
    for (layout, expected) in peer.repeated {
      let isFile = layout == "file"
      let bundle = try isFile ? fileBundle(in: folder) : model(layout, in: folder).bundle.path
      let takesRate = ["module", "graph", "file"].contains(layout)
      let arguments =
        [
          "train", bundle, "--data", folder + (isFile ? "/files.jsonl" : "/items.jsonl"),
          "--epochs", "4", "--batch-size", "16", "--no-shuffle", "--json", "--resume",
          "--checkpoints", "\(folder)/\(layout)-run", "--tensorboard", "\(folder)/\(layout)-logs",
        ] + (takesRate ? ["--placeholder", "rate=0.1"] : [])
        + (isFile ? [] : ["--early-stopping", "4", "--validation-data", folder + "/items.jsonl"])
      var kills = 0
      for _ in 0..<10 {
        let result = try await CommandRunner.run(
          arguments, interruptedAtOutput: true, signal: SIGKILL)
        if result.status == 0 { break }
        #expect(result.status == SIGKILL, "\(layout): \(result.error)")
        kills += 1
      }
      #expect(kills >= 1, "\(layout)")
      let last = try await CommandRunner.run(arguments)
      #expect(last.status == 0, "\(layout): \(last.error)")
      let output = try await Python.run(["Tools/peers/read_events.py", "\(folder)/\(layout)-logs"])
      let runs = try JSONDecoder().decode(
        [String: [String: [[Double]]]].self, from: Data(output.utf8))
      let losses = try #require(runs["train"]?["loss"])
      // A process that was killed may have written steps that the next one took again.
      #expect(Set(losses.map { Int($0[0]) }) == Set(1...100), "\(layout)")
      for step in losses {
        #expect(abs(step[1] - expected[Int(step[0]) - 1]) < 1e-5, "\(layout), step \(step[0])")
      }
    }
  }

  /// Writes a bundle with a .tflite file that has training signatures, and returns its path.
  private func fileBundle(in folder: String) throws -> String {
    let path = folder + "/file.tiobundle"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Python.root.path + "/Tests/Fixtures/Models/train_builtin.tflite",
      toPath: path + "/model.tflite")
    let manifest = """
      {"name": "file", "details": "", "id": "file", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["train"]},
       "inputs": [{"name": "x", "type": "array", "shape": [-1, 3]},
                  {"name": "y", "type": "array", "shape": [-1, 2]}],
       "outputs": [{"name": "loss", "type": "scalar", "shape": []}],
       "placeholders": [{"name": "rate", "type": "scalar", "shape": []}],
       "train": {"ops": ["train"]}}
      """
    try manifest.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    return path
  }

  /// Items that are weighed by their class, and gradients that are clipped by a placeholder.
  private func checkWeights(in folder: String, _ peer: Peer) throws {
    let model = try model(
      "weighted", in: folder,
      inputs: Self.layers.inputs + [
        #"{"name": "weight", "type": "array", "shape": [-1], "dtype": "float32"}"#
      ],
      placeholders: ["rate", "clip"])
    let items = peer.batches.flatMap(\.self)
    var options = TrainingOptions(batchSize: 16, placeholders: ["rate": 0.5, "clip": 0.125])
    options.shuffles = false
    options.itemWeights = ItemWeights(input: "weight", balancing: items.map(\.label))
    let trainer = Trainer(
      model, data: items.map { ["x": $0.x, "label": $0.label] as Batch.Item }, options: options)
    var losses: [Double] = []
    try trainer.train { losses.append($0.means["loss"] ?? .nan) }
    #expect(losses.count == 100)
    #expect(
      zip(losses, peer.weighted).allSatisfy { abs($0 - $1) < 1e-5 }, "\(losses) \(peer.weighted)")
    #expect(peer.weighted != peer.losses["module"])
  }

  private func batch(_ items: [Peer.Item]) throws -> Batch {
    try Batch(keys: ["x", "label"], items: items.map { ["x": $0.x, "label": $0.label] })
  }

  /// The values of schedules are Keras's, which computes in float32.
  private func checkSchedules(_ peer: Peer) throws {
    let schedules = [
      "cosine": ValueSchedule(0.05, .cosine(lowest: 0.1), warmUpSteps: 10),
      "step": ValueSchedule(0.05, .step(every: 7, factor: 0.5)),
    ]
    for (name, schedule) in schedules {
      for (step, expected) in try #require(peer.schedules[name]).enumerated() {
        #expect(abs(schedule.value(inStep: step, of: 100) - expected) < 1e-8, "\(name), \(step)")
      }
    }
  }

  /// The variables of a Keras 3 network in a tf.Module are missing, which the error explains.
  private func checkNatural(in folder: String, _ peer: Peer) async throws {
    let model = try model("natural", in: folder)
    let error = await #expect(throws: TensorIOError.self) {
      try await model.train(batch(peer.batches[0]))
    }
    #expect(error?.code == .invalidModel)
    let message = try #require(error?.message)
    #expect(message.contains("uses the variable '"), "\(message)")
    #expect(message.contains("add_variable_collection(\"optimizer\""), "\(message)")
    // The step that `validate` takes finds this.
    let result = try await CommandRunner.run(["validate", model.bundle.path])
    #expect(result.status == 65)
    #expect(result.output.contains("add_variable_collection("), "\(result.output)")
  }

  /// The outputs may be those of several signatures, whose inputs are one layer.
  private func checkOutputsOfTwoSignatures(in folder: String, _ peer: Peer) throws {
    let model = try model(
      "archive", in: folder,
      outputs: Self.layers.outputs + [
        #"{"name": "probabilities", "type": "array", "shape": [-1, 3]}"#
      ])
    let outputs = try model.train(batch(peer.batches[0]))
    let probabilities: [Float] = try outputs["probabilities"]
    #expect(probabilities.count == 48)
    let sum = probabilities.prefix(3).reduce(0, +)
    #expect(abs(sum - 1) < 1e-5)
    let expected = try #require(peer.losses["archive"]?.first)
    #expect(abs(try outputs["loss", as: Double.self] - expected) < 1e-5)
  }

  /// The commands of the document, on the model of the document.
  private func checkCommands(in folder: String, _ peer: Peer) async throws {
    let lines = peer.batches.flatMap(\.self).map { #"{"x": \#($0.x), "label": \#($0.label)}"# }
    try lines.joined(separator: "\n").write(
      toFile: folder + "/points.jsonl", atomically: true, encoding: .utf8)
    try FileManager.default.moveItem(atPath: folder + "/archive", toPath: folder + "/points")
    let page = try String(
      contentsOf: Python.root.appending(path: "Documentation/Training.md"), encoding: .utf8)
    let block = try #require(page.split(separator: "```sh\n").dropFirst().first)
    let commands = try #require(block.split(separator: "```").first).split(separator: "\n")
    #expect(commands.count == 5)
    let program = CommandRunner.binary.path
    var outputs: [String] = []
    for command in commands {
      let shell = try ChildProcess(
        "/bin/sh",
        ["-c", String(command).replacing("tensorio ", with: program + " ", maxReplacements: 1)],
        in: folder)
      let (status, output, error) = await shell.finish()
      #expect(status == 0, "\(command): \(output)\(error)")
      outputs.append(output)
    }
    #expect(outputs[1].contains("points.tiobundle: valid"), "\(outputs[1])")
    let header = try #require(outputs[2].split(separator: "\n").first)
    #expect(header.contains("validation loss"))
    #expect(outputs[2].split(separator: "\n").count == 21)
    #expect(outputs[3].hasPrefix("probabilities"))
    try checkConverted(in: folder, peer)
  }

  /// The converted model is a function of TensorFlow 2, and gives the same probabilities.
  private func checkConverted(in folder: String, _ peer: Peer) throws {
    let loader = ModelLoader(backends: [.tensorFlow, .liteRT])
    let models = try ["trained", "lite"].map {
      try loader.model(at: folder + "/\($0).tiobundle")
    }
    for item in peer.batches[0] {
      let results: [[Float]] = try models.map { try $0.run(ModelInputs(item.x))["probabilities"] }
      #expect(zip(results[0], results[1]).allSatisfy { abs($0 - $1) < 1e-5 })
    }
  }
}
