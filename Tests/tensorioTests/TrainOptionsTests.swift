// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ModelTools
import TensorIO
import TensorIODecoding
import TensorIOImageCodecs
import TestSupport
import Testing

@testable import TensorIOCommandLine

/// `tensorio train` with changed images, metrics of its export, MLflow and TensorFlow Lite, on the digits.
@Suite(.enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct TrainOptionsTests {
  private func train(_ arguments: [String]) async throws -> CommandRunner.Result {
    try await CommandRunner.run(
      [
        "train", "Demo/digits-train.tiobundle", "--data", "Demo/digits-training", "--json",
        "--placeholder", "learning_rate=0.005",
      ] + arguments)
  }

  private struct Epoch: Decodable {
    let epoch: Int
    let metrics: [String: Double]
    let best: Bool
    let training: [String: Double]
  }

  private func epochs(_ result: CommandRunner.Result) throws -> [Epoch] {
    try result.output.split(separator: "\n").map {
      try JSONDecoder().decode(Epoch.self, from: Data($0.utf8))
    }
  }

  @Test func `the metrics of evaluate decide when a training stops, and which epoch is kept`()
    async throws
  {
    let folder = try TemporaryFolder()
    let result = try await train([
      "--epochs", "12", "--evaluate", "Demo/digits.testbundle", "--export-output", "probabilities",
      "--monitor", "top1", "--early-stopping", "2", "--keep-best", "--export",
      folder.path + "/best.tiobundle",
    ])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("before the training: top1 0."), "\(result.error)")
    let epochs = try epochs(result)
    // The demo's twenty images are all recognized after a few epochs, and better isn't possible.
    let best = try #require(epochs.last { $0.best })
    #expect(epochs.count == best.epoch + 2)
    let highest = epochs.compactMap { $0.metrics["top1"] }.max()
    #expect(best.metrics["top1"] == highest)
    let report = folder.path + "/report.json"
    let evaluation = try await CommandRunner.run([
      "evaluate", "Demo/digits.testbundle", "--model", folder.path + "/best.tiobundle", "--report",
      report, "--fail-under", "top1=\(best.metrics["top1"] ?? 2)",
    ])
    #expect(evaluation.status == 0, "\(evaluation.output) \(evaluation.error)")
  }

  @Test
  func
    `a metric that isn't measured, or a dataset that doesn't suit, is an error before the training`()
    async throws
  {
    let unknown = try await train([
      "--evaluate", "Demo/digits.testbundle", "--export-output", "probabilities", "--monitor",
      "topp1",
    ])
    #expect(unknown.status != 0)
    #expect(unknown.error.contains("topp1"), "\(unknown.error)")
    #expect(unknown.output == "")
    let missing = try await train(["--evaluate", "no.testbundle"])
    #expect(missing.status == 66)
    #expect(missing.output == "")
  }

  @Test func `a picture shows items and their changes`() async throws {
    let folder = try TemporaryFolder()
    let picture = folder.path + "/samples.png"
    let result = try await train([
      "--augment", "flip=vertical", "--augment", "rotation=0.1", "--augmented-samples", picture,
    ])
    #expect(result.status == 0, "\(result.error)")
    let image = try ImageDecoder().decode(contentsOf: picture)
    // Eight images of 32 x 32, three times as large, with gaps of 4.
    #expect(image.width == 796)
    #expect(image.height == 796)
    // The first image of a row is the item itself, and the others are changed.
    func cell(_ column: Int) -> [UInt8] {
      image.withBytes { bytes in
        (0..<96).map { x in
          bytes.unsafeLoad(
            fromByteOffset: (48 * image.width + column * 100 + x) * image.format.bytesPerPixel,
            as: UInt8.self)
        }
      }
    }
    let cells = Set((0..<8).map(cell))
    #expect(cells.count > 5)
  }

  @Test func `a picture of changes needs an image input`() throws {
    let folder = try TemporaryFolder()
    let spec = TensorSpec(name: "x", shape: [1], kind: .scalar(nil))
    var options = TrainingOptions()
    options.augmentations = [.mixUp()]
    let error = #expect(throws: TensorIOError.self) {
      try AugmentedSheet.write(
        to: folder.path + "/x.png", [["x": 1]], options, ModelSignature(inputs: [spec], outputs: [])
      )
    }
    #expect(
      error?.message
        == "--augmented-samples draws images, but the model has no image input. Leave it out.")
  }

  @Test func `tensors aren't changed as images`() async throws {
    let folder = try TemporaryFolder()
    let tensor = try Tensor([Float](repeating: 0.5, count: 32 * 32), shape: [32, 32, 1])
    try NumPyFile.write(tensor, to: folder.path + "/image.npy")
    let file = folder.path + "/data.jsonl"
    try Data(#"{"image": "@image.npy", "label": 1}"#.utf8).write(to: URL(filePath: file))
    let command = [
      "train", "Demo/digits-train.tiobundle", "--data", file, "--placeholder", "learning_rate=0.01",
    ]
    let result = try await CommandRunner.run(command + ["--augment", "flip"])
    #expect(result.status == 65)
    #expect(result.output == "")
    #expect(
      result.error.contains(
        "'\(file)', line 1: The augmentation 'flip=horizontal' changes the image 'image' before it is "
          + "normalized, but got a tensor"), "\(result.error)")
    #expect(try await CommandRunner.run(command).status == 0)
  }

  @Test(arguments: [
    (["--augment", "spin=1"], "'spin=1'"),
    (["--augment", "flip=sideways"], "'flip=sideways'"),
    (["--augment", "rotation=0.1,fill=blue"], "'rotation=0.1,fill=blue'"),
    (["--augmented-samples", "x.png"], "--augmented-samples needs --augment."),
    (
      ["--augment", "flip", "--augmented-samples", "x.jpg"],
      "--augmented-samples takes a path that ends in .png, got 'x.jpg'."
    ),
    (["--weights-input", "w"], "--weights-input needs --class-weights."),
    (
      ["--balance", "label", "--class-weights", "label=balanced"],
      "Pass either --balance or --class-weights"
    ),
    (
      ["--export-tflite", "x.tiobundle", "--export-output", "y", "--export-output", "y"],
      "--export-output names an output twice."
    ),
    (
      ["--export", "x.tiobundle", "--export-tflite", "x.tiobundle"],
      "--export and --export-tflite take different names."
    ),
    (["--run-name", "x"], "--experiment and --run-name need --mlflow URL."),
    (["--quantize", "float16"], "--quantize and --python need --export-tflite NAME.tiobundle."),
  ])
  func `wrong usage is refused`(arguments: [String], message: String) async throws {
    let result = try await train(arguments)
    #expect(result.status == 64)
    #expect(result.error.contains(message), "\(result.error)")
  }

  @Test(arguments: [
    (["--class-weights", "label=balanced"], "--class-weights needs an input of the model"),
    (["--augment", "mixup"], "mixUp needs inputs of float32, but 'label' is int32."),
    (["--augment", "hue=0.1"], "The augmentation 'hue=0.1' needs colours, but 'image' is gray."),
    (["--mlflow", "localhost:5000"], "--mlflow takes the URL of a tracking server"),
    (["--mlflow", "http://127.0.0.1:9"], "can't be fetched: its server refused the connection"),
    (
      ["--export-tflite", "x.tiobundle", "--python", "/no/python"],
      "There is no Python at '/no/python'."
    ),
  ])
  func `what doesn't suit is an error before the training`(
    arguments: [String], message: String
  ) async throws {
    let result = try await train(arguments)
    #expect(result.status != 0)
    #expect(result.output == "")
    #expect(result.error.contains(message), "\(result.error)")
  }

  @Test(.enabled(if: Python.path != nil, "Python is missing; run 'Scripts/setup.sh --peers'."))
  func `an MLflow server has the numbers of a training that was continued`() async throws {
    let folder = try TemporaryFolder()
    let server = try await MLflowPeer(in: folder.path)
    func arguments(_ epochs: Int) -> [String] {
      [
        "--epochs", "\(epochs)", "--validation", "0.1", "--mlflow", server.address,
        "--experiment", "Digits' first", "--run-name", "a run", "--checkpoints",
        folder.path + "/run", "--resume", "--augment", "crop=2",
      ]
    }
    let first = try await train(arguments(1))
    #expect(first.status == 0, "\(first.error)")
    let second = try await train(arguments(3))
    #expect(second.status == 0, "\(second.error)")
    let epochs = try epochs(first) + epochs(second)
    #expect(epochs.map(\.epoch) == [1, 2, 3])
    let runs = try await server.runs(of: "Digits' first")
    let run = try #require(runs.first)
    #expect(runs.count == 1)
    #expect(run.status == "FINISHED")
    #expect(run.name == "a run")
    #expect(run.parameters["augmentations"] == "crop=2")
    #expect(run.parameters["learning_rate"] == "0.005")
    let losses = epochs.compactMap { $0.training["loss"] }
    #expect(run.metrics["loss"] == losses)
    #expect(run.metrics["validation_loss"]?.count == 3)
    let steps = Array(1...30)
    #expect(run.steps["step/loss"] == steps)
    // A server that is away at the start is an error before anything is trained.
    server.end()
    let alone = try await train(arguments(3) + ["--epochs", "4"])
    #expect(alone.status != 0)
    #expect(alone.error.contains("refused the connection"), "\(alone.error)")
  }
}

/// A tracking server of MLflow in a process of its own.
private final class MLflowPeer: Sendable {
  let address: String
  private let process: ChildProcess

  init(in folder: String) async throws {
    let port = try await unusedPort()
    let address = "http://127.0.0.1:\(port)"
    self.address = address
    let python = try #require(Python.path)
    // The server has processes of its own, which end with its group.
    let command =
      #"exec setsid "$0" -m mlflow server --host 127.0.0.1 --port \#(port) --workers 1 "#
      + #"--backend-store-uri "sqlite:///$1/mlflow.db" --artifacts-destination "$1/artifacts" "#
      + #">"$1/mlflow.log" 2>&1"#
    process = try ChildProcess("/bin/sh", ["-c", command, python, folder])
    try await Python.run([
      "Tools/peers/wait_for_server.py", address + "/health", "\(longestWait.components.seconds)",
    ])
  }

  struct Run: Decodable {
    let name: String
    let status: String
    let parameters: [String: String]
    let metrics: [String: [Double]]
    let steps: [String: [Int]]
  }

  /// Returns the runs of an experiment, as MLflow's own client reads them.
  func runs(of experiment: String) async throws -> [Run] {
    let output = try await Python.run(["Tools/peers/read_mlflow.py", address, experiment])
    return try JSONDecoder().decode([Run].self, from: Data(output.utf8))
  }

  func end() {
    kill(-process.identifier, SIGKILL)
    _ = process.wait()
  }

  deinit { end() }
}

/// Returns a port that no program listens on.
private func unusedPort() async throws -> Int {
  let program =
    "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
  let text = try await Python.run(["-c", program])
  return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
}
