// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

/// `tensorio train` with checkpoints, schedules and TensorBoard, on the digits.
@Suite(.enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct TrainCheckpointTests {
  private func train(
    _ arguments: [String], killedAtOutput: Bool = false
  ) async throws -> CommandRunner.Result {
    try await CommandRunner.run(
      ["train", "Demo/digits-train.tiobundle", "--data", "Demo/digits-training", "--json"]
        + arguments, interruptedAtOutput: killedAtOutput, signal: SIGKILL)
  }

  private static let loop = [
    "--epochs", "5", "--validation", "0.1", "--schedule",
    "learning_rate=cosine:0.005,warmup=10,lowest=0.1", "--augment", "crop=4", "--augment",
    "rotation=0.05,fill=nearest",
  ]

  /// The number and the losses of each epoch, without times.
  private func epochs(_ result: CommandRunner.Result) throws -> [JSONValue] {
    try result.output.split(separator: "\n").map { line in
      guard case .object(var members) = try JSONValue(parsing: Data(line.utf8)) else {
        throw CocoaError(.coderInvalidValue)
      }
      members["seconds"] = nil
      return .object(members)
    }
  }

  @Test func `the loss decides which epoch is the best, wherever it is among the outputs`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/train.tiobundle"
    try FileManager.default.copyItem(atPath: "Demo/digits-train.tiobundle", toPath: path)
    let file = URL(filePath: path + "/model.json")
    var document = try String(contentsOf: file, encoding: .utf8)
    let loss = try #require(document.firstMatch(of: #/\{[^{}]*"name": ?"loss"[^{}]*\},\s*/#))
    let accuracy = try #require(
      document.firstMatch(of: #/\{[^{}]*"name": ?"accuracy"[^{}]*\},\s*/#))
    let (first, second) = (String(loss.output), String(accuracy.output))
    document = document.replacing(first + second, with: second + first)
    try document.write(to: file, atomically: true, encoding: .utf8)
    func best(_ options: String...) async throws -> [Substring] {
      let result = try await CommandRunner.run(
        [
          "train", path, "--data", "Demo/digits-training", "--placeholder", "learning_rate=0.005",
          "--epochs", "3",
        ] + options)
      try #require(result.status == 0, "\(result.error)")
      return result.output.split(separator: "\n").filter { $0.hasSuffix("*") }
        .compactMap { $0.split(separator: " ").first }
    }
    #expect(try await best() == best("--monitor", "loss"))
    #expect(try await best().last == "3")
  }

  @Test func `a training that is killed again and again gives the same epochs`() async throws {
    let folder = try TemporaryFolder()
    let checkpoints = ["--checkpoints", folder.path + "/run", "--resume"]
    let whole = try await train(Self.loop)
    #expect(whole.status == 0, "\(whole.error)")
    let expected = try epochs(whole)
    #expect(expected.count == 5)
    var found: [JSONValue] = []
    for _ in 0..<20 {
      // The process is killed after its first epoch, while it trains the next.
      let part = try await train(Self.loop + checkpoints, killedAtOutput: true)
      found += try epochs(part)
      if part.status == 0 { break }
    }
    // A process that is killed between its checkpoint and its line of output says nothing of an epoch.
    #expect(Set(found).isSubset(of: Set(expected)))
    #expect(Set(found).count == found.count)
    #expect(found.last == expected.last || found.count >= 3, "\(found)")
    let rest = try await train(Self.loop + checkpoints)
    #expect(rest.status == 0, "\(rest.error)")
    #expect(rest.error.contains("continued after "), "\(rest.error)")
  }

  private func mean(_ part: String, of epoch: JSONValue) throws -> Double {
    guard case .object(let members) = epoch, case .object(let means)? = members[part],
      let loss = means["loss"]?.asNumber
    else { throw CocoaError(.coderValueNotFound) }
    return loss
  }

  @Test func `TensorBoard reads the steps and epochs`() async throws {
    let folder = try TemporaryFolder()
    let logs = folder.path + "/logs"
    let result = try await train(
      Self.loop + [
        "--epochs", "2", "--tensorboard", logs, "--export", folder.path + "/a/b/weights",
      ])
    #expect(result.status == 0, "\(result.error)")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/a/b/weights/checkpoint.index"))
    let output = try await Python.run(["Tools/peers/read_events.py", logs])
    let runs = try JSONDecoder().decode(
      [String: [String: [[Double]]]].self, from: Data(output.utf8))
    let training = try #require(runs["train"])
    let steps = try #require(training["loss"])
    #expect(steps.map { $0[0] } == (1...steps.count).map(Double.init))
    let epochs = try #require(training["epoch_loss"])
    let validation = try #require(runs["validation"]?["epoch_loss"])
    for (index, epoch) in try self.epochs(result).enumerated() {
      let loss = try mean("training", of: epoch)
      let other = try mean("validation", of: epoch)
      #expect(epochs[index] == [Double(index + 1), Double(Float(loss))])
      #expect(validation[index] == [Double(index + 1), Double(Float(other))])
    }
  }

  @Test func `TensorBoard reads each step once after a resume, and changes are said`() async throws
  {
    let folder = try TemporaryFolder()
    let (run, kept, logs) = (folder.path + "/run", folder.path + "/kept", folder.path + "/logs")
    func part(_ epochs: Int, rate: String = "0.005") async throws -> CommandRunner.Result {
      let result = try await train([
        "--epochs", "\(epochs)", "--checkpoints", run, "--resume", "--tensorboard", logs,
        "--placeholder", "learning_rate=\(rate)",
      ])
      #expect(result.status == 0, "\(result.error)")
      return result
    }
    _ = try await part(1)
    try FileManager.default.copyItem(atPath: run, toPath: kept)
    let second = try await part(2)
    #expect(!second.error.contains("warning"), "\(second.error)")
    // The process was killed before it wrote its checkpoint of the second epoch.
    try FileManager.default.removeItem(atPath: run)
    try FileManager.default.moveItem(atPath: kept, toPath: run)
    // Its clock was ahead, so its file would be read after the next one.
    let files = try FileManager.default.contentsOfDirectory(atPath: logs + "/train").sorted()
    let later = Int(Date().timeIntervalSince1970) + 1000
    try FileManager.default.moveItem(
      atPath: logs + "/train/" + #require(files.last),
      toPath: logs + "/train/events.out.tfevents.\(later).1")
    let third = try await part(3, rate: "0.001")
    #expect(
      third.error.contains(
        "warning: learning_rate was 0.005 when the checkpoint was written, and is 0.001 now\n"),
      "\(third.error)")
    let output = try await Python.run(["Tools/peers/read_events.py", logs])
    let runs = try JSONDecoder().decode(
      [String: [String: [[Double]]]].self, from: Data(output.utf8))
    let steps = try #require(runs["train"]?["loss"]).map { $0[0] }
    #expect(steps == (1...steps.count).map(Double.init))
    #expect(steps.count.isMultiple(of: 3))
  }

  @Test func `wrong options are errors that stand alone`() async throws {
    let cases: [([String], String)] = [
      (
        ["--schedule", "speed=cosine:1"],
        "--schedule names 'speed', but the model's placeholders are"
      ),
      (["--balance", "color"], "--balance names 'color', but the model's inputs are"),
      (["--monitor", "precision"], "'precision'"),
      ([], "There is no value for the placeholder 'learning_rate'."),
    ]
    for (arguments, message) in cases {
      let result = try await train(arguments)
      #expect(result.status != 0)
      #expect(result.error.contains(message), "\(result.error)")
      #expect(result.error.hasPrefix("error: "), "\(result.error)")
    }
    for (text, message) in [
      ("learning_rate=sine:1", "constant, step or cosine before the colon, got 'sine'"),
      ("learning_rate=cosine", "NAME=KIND:VALUE"),
      ("learning_rate=cosine:1,every=3", "--schedule cosine has no 'every'"),
      ("learning_rate=step:1,every=x", "NUMBER after KEY="),
    ] {
      let result = try await train(["--schedule", text])
      #expect(result.status == 64)
      #expect(result.error.contains(message), "\(result.error)")
    }
    #expect(try await train(["--resume"]).error.contains("--resume needs --checkpoints FOLDER."))
  }

  @Test func `balanced classes train as many items of each`() async throws {
    let result = try await train([
      "--epochs", "1", "--balance", "label", "--placeholder", "learning_rate=0.001",
    ])
    #expect(result.status == 0, "\(result.error)")
    let epoch = try #require(try epochs(result).first)
    guard case .object(let members) = epoch, let items = members["items"]?.asNumber
    else { throw CocoaError(.coderValueNotFound) }
    // Ten classes, each with as many items as the largest has.
    #expect(Int(items).isMultiple(of: 10))
  }
}
