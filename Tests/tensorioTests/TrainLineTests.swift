// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

/// `tensorio train` on a line of numbers: evaluations, signals and conversions.
@Suite(.enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct TrainLineTests {
  private let folder: TemporaryFolder
  private var bundle: String { folder.path + "/line.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
    try makeBundle(
      of: "train_line", modes: "train",
      """
      "inputs": [{"name": "x", "type": "array", "shape": [-1, 2]},
       {"name": "y", "type": "array", "shape": [-1, 1]}],
       "outputs": [{"name": "loss", "type": "array", "shape": [1]}],
       "placeholders": [{"name": "learning_rate", "type": "array", "shape": [1]}],
       "train": {"ops": ["train"]}
      """)
    try write(4, label: "y", to: "data.jsonl")
  }

  /// Writes a bundle with a SavedModel of the fixtures.
  private func makeBundle(of model: String, modes: String, _ layers: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    let source = CommandRunner.packageFolder.appending(path: "Tests/Fixtures/SavedModels/\(model)")
    // A test may replace the model, but the first one replaces nothing.
    try? files.removeItem(atPath: bundle + "/model")
    try files.copyItem(atPath: source.path, toPath: bundle + "/model")
    let document = """
      {"name": "Line", "details": "", "id": "line", "version": "1", "author": "", "license": "",
       "model": {"file": "model", "quantized": false, "backend": "tensorflow", "modes": ["\(modes)"]},
       \(layers)}
      """
    try Data(document.utf8).write(to: URL(filePath: bundle + "/model.json"))
  }

  /// Writes points of a line.
  private func write(_ count: Int, label: String, to name: String) throws {
    let lines = (0..<count).map {
      "{\"x\": [0.\($0 % 7), 1], \"\(label)\": \(Double($0 % 3) + 0.5)}"
    }
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: folder.path + "/" + name))
  }

  private func arguments(_ rest: [String]) -> [String] {
    [
      "train", bundle, "--data", folder.path + "/data.jsonl", "--placeholder", "learning_rate=0.1",
      "--json",
    ] + rest
  }

  private func train(
    _ rest: [String], interruptedAtOutput: Bool = false
  ) async throws -> CommandRunner.Result {
    try await CommandRunner.run(arguments(rest), interruptedAtOutput: interruptedAtOutput)
  }

  @Test func `a monitored metric that isn't defined is no improvement`() async throws {
    // The coefficient of determination of a single sample isn't defined.
    try write(1, label: "label", to: "one.jsonl")
    let result = try await train([
      "--epochs", "3", "--evaluate", folder.path + "/one.jsonl", "--monitor", "r2",
      "--early-stopping", "2", "--tensorboard", folder.path + "/logs",
    ])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("before the training: r2 nan\n"), "\(result.error)")
    let epochs = result.output.split(separator: "\n")
    #expect(epochs.count == 2)
    #expect(epochs.allSatisfy { $0.contains(#""best":false"#) && $0.contains(#""r2":"NaN""#) })
    #expect(FileManager.default.fileExists(atPath: folder.path + "/logs/evaluation"))
  }

  @Test func `Ctrl-C during an evaluation keeps the epoch's steps`() async throws {
    try write(2000, label: "label", to: "many.jsonl")
    let run = folder.path + "/run"
    func options(_ epochs: Int) -> [String] {
      [
        "--epochs", "\(epochs)", "--evaluate", folder.path + "/many.jsonl", "--checkpoints", run,
        "--resume",
      ]
    }
    let part = try await train(options(100_000), interruptedAtOutput: true)
    #expect(part.status == 130, "\(part.error)")
    // The signal can come late on a busy machine.
    let done = part.output.split(separator: "\n").count
    #expect(done >= 1)
    #expect(part.error.contains("interrupted after \(done) of 100000 epochs"), "\(part.error)")
    let names = try FileManager.default.contentsOfDirectory(atPath: run)
    let digits = "\(done)"
    #expect(names.contains("epoch-" + String(repeating: "0", count: 5 - digits.count) + digits))
    let rest = try await train(options(done + 2))
    #expect(rest.status == 0, "\(rest.error)")
    #expect(rest.output.split(separator: "\n").count == 2)
  }

  @Test func `another number of epochs changes a cosine, and a warning says so`() async throws {
    func part(_ epochs: Int) async throws -> CommandRunner.Result {
      let result = try await CommandRunner.run([
        "train", bundle, "--data", folder.path + "/data.jsonl", "--schedule",
        "learning_rate=cosine:0.1", "--epochs", "\(epochs)", "--checkpoints", folder.path + "/run",
        "--resume",
      ])
      #expect(result.status == 0, "\(result.error)")
      return result
    }
    #expect(try await !part(1).error.contains("warning"))
    let second = try await part(2)
    #expect(
      second.error.contains(
        "warning: --epochs was 1 when the checkpoint was written, and is 2 now\n"),
      "\(second.error)")
  }

  @Test func `what can't be converted is found before the training`() async throws {
    let lite = folder.path + "/lite.tiobundle"
    let result = try await train([
      "--export-tflite", lite, "--export-output", "nothing", "--python", "/bin/sh",
    ])
    #expect(result.status != 0)
    #expect(result.output == "")
    #expect(result.error.contains("The model has no output 'nothing'"), "\(result.error)")
    // The shell isn't a Python with a converter.
    let shell = try await train(["--export-tflite", lite, "--python", "/bin/sh"])
    #expect(shell.output == "")
    #expect(shell.error.contains("Python's converter failed"), "\(shell.error)")
  }

  @Test(
    .enabled(if: Python.path != nil, "Python is missing; run 'Scripts/setup.sh --peers'."))
  func `a request for a checkpoint before the first step doesn't end the training`() async throws {
    // A server that doesn't answer keeps the training before its first step.
    let script = """
      import socket, sys
      server = socket.socket()
      server.bind(("127.0.0.1", 0))
      server.listen()
      print(server.getsockname()[1], flush=True)
      connection, _ = server.accept()
      print("asked", flush=True)
      sys.stdin.read()
      """
    let server = try ChildProcess(try #require(Python.path), ["-c", script])
    func output(until end: String) -> String {
      var text = ""
      while !text.contains(end) {
        let data = server.output.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }
    let port = output(until: "\n").filter(\.isNumber)
    let training = try ChildProcess(
      CommandRunner.binary.path, arguments(["--mlflow", "http://127.0.0.1:\(port)"]))
    #expect(output(until: "asked\n").hasSuffix("asked\n"))
    kill(training.identifier, SIGUSR1)
    _ = await server.finish()
    let result = await training.finish()
    #expect(result.status != SIGUSR1)
    #expect(result.error.contains("127.0.0.1:\(port)"), "\(result.error)")
  }

  @Test(
    .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
  func `a bundle with some of the outputs is converted with these`() async throws {
    try makeBundle(
      of: "tf2", modes: "predict",
      """
      "inputs": [{"name": "x", "type": "array", "shape": [-1, 2]}],
       "outputs": [{"name": "sum", "type": "array", "shape": [-1]}]
      """)
    let lite = folder.path + "/lite.tiobundle"
    let result = try await CommandRunner.run(["convert", bundle, "-o", lite])
    #expect(result.status == 0, "\(result.error)")
    let run = try await CommandRunner.run(["run", lite, "[1, 2]", "--json"])
    #expect(run.status == 0, "\(run.error)")
    let original = try await CommandRunner.run(["run", bundle, "[1, 2]", "--json"])
    func outputs(_ result: CommandRunner.Result) throws -> JSONValue? {
      guard case .object(let members) = try JSONValue(parsing: Data(result.output.utf8)) else {
        return nil
      }
      return members["outputs"]
    }
    #expect(try outputs(run) == outputs(original))
    #expect(run.output.contains(#""sum""#), "\(run.output)")
  }
}
