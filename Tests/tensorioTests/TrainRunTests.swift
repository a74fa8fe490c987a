// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

/// `tensorio train` on the digits, with TensorFlow.
@Suite(.enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct TrainRunTests {
  private func train(
    _ arguments: [String], data: String = "Demo/digits-training", rate: String = "0.005",
    interruptedBy signal: Int32? = nil
  ) async throws -> CommandRunner.Result {
    try await CommandRunner.run(
      Self.command(data, rate) + arguments, interruptedAtOutput: signal != nil,
      signal: signal ?? SIGINT)
  }

  private static func command(
    _ data: String = "Demo/digits-training", _ rate: String = "0.005"
  ) -> [String] {
    [
      "train", "Demo/digits-train.tiobundle", "--data", data, "--placeholder",
      "learning_rate=\(rate)",
    ]
  }

  /// The JSON of each epoch.
  private func epochs(_ result: CommandRunner.Result) throws -> [JSONValue] {
    try result.output.split(separator: "\n").map {
      try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
    }
  }

  private func losses(_ result: CommandRunner.Result) throws -> [Double] {
    try epochs(result).map { epoch in
      guard case .object(let members) = epoch, case .object(let means)? = members["training"],
        case .number(let loss)? = means["loss"]
      else { throw CocoaError(.coderValueNotFound) }
      return loss
    }
  }

  @Test func `training from random weights exports a bundle that reads digits`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/trained.tiobundle"
    let plot = folder.path + "/loss.svg"
    let result = try await train(["--epochs", "15", "--export", bundle, "--plot", plot, "--json"])
    #expect(result.status == 0, "\(result.error)")
    let losses = try losses(result)
    #expect(losses.count == 15)
    #expect(losses[14] < 0.05 && losses[0] > 1)
    #expect(try String(contentsOfFile: plot, encoding: .utf8).hasPrefix("<svg"))
    // No hidden files remain.
    #expect(try folder.contents == ["loss.svg", "trained.tiobundle"])
    var right = 0
    let words = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ]
    let model = try ModelLoader(backends: [.tensorFlow]).model(at: bundle)
    #expect(try model.loadSignature().inputs.map(\.name) == ["image"])
    for (digit, word) in words.enumerated() {
      for number in ["01", "02"] {
        let image = "Demo/images/digit-\(digit)-\(number).png"
        let run = try await CommandRunner.run(["run", bundle, image, "--top", "1"])
        #expect(run.status == 0)
        if run.output.hasSuffix("  \(word)\n") { right += 1 }
      }
    }
    // The bundle reads over 95% of the 360 held-out images, of which these are 20.
    #expect(right >= 19, "\(right) of 20")
  }

  @Test func `the same seed gives the same losses, and another seed or rate gives others`()
    async throws
  {
    let one = try losses(await train(["--epochs", "2", "--json", "--seed", "7"]))
    let same = try losses(await train(["--epochs", "2", "--json", "--seed", "7"]))
    let other = try losses(await train(["--epochs", "2", "--json", "--seed", "8"]))
    let slower = try losses(
      await train(["--epochs", "2", "--json", "--seed", "7"], rate: "0.0001"))
    #expect(one.count == 2)
    #expect(one == same)
    #expect(one != other)
    #expect(slower != one)
  }

  @Test func `a checkpoint is exported as it is`() async throws {
    let folder = try TemporaryFolder()
    let (checkpoint, bundle) = (folder.path + "/weights", folder.path + "/a/trained.tiobundle")
    let direct = folder.path + "/direct.tiobundle"
    #expect(try await train(["--epochs", "3", "--export", checkpoint]).status == 0)
    let result = try await CommandRunner.run([
      "train", "Demo/digits-train.tiobundle", "--epochs", "0", "--restore", checkpoint, "--export",
      bundle,
    ])
    #expect(result == (0, "", "exported: \(bundle)\n"))
    #expect(try await train(["--epochs", "3", "--export", direct]).status == 0)
    func answer(_ path: String) async throws -> CommandRunner.Result {
      try await CommandRunner.runWithoutTimes(["run", path, "Demo/images/digit-3-01.png", "--json"])
    }
    let expected = try await answer(direct)
    #expect(expected.status == 0)
    #expect(try await answer(bundle) == expected)
  }

  @Test func `an export has the names of a folder's classes, and another order is a warning`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (bundle, photos) = (folder.path + "/plain.tiobundle", folder.path + "/photos")
    let trained = folder.path + "/trained.tiobundle"
    try FileManager.default.copyItem(atPath: "Demo/digits-train.tiobundle", toPath: bundle)
    let file = URL(filePath: bundle + "/model.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let label = try #require(text.firstMatch(of: #/,\s*"labels": "labels.txt"/#))
    try text.replacing(label.output, with: "").write(to: file, atomically: true, encoding: .utf8)
    try FileManager.default.copyItem(atPath: "Demo/digits-training", toPath: photos)
    try FileManager.default.moveItem(atPath: photos + "/0", toPath: photos + "/none")
    let result = try await CommandRunner.run([
      "train", bundle, "--data", photos, "--placeholder", "learning_rate=0.005", "--epochs", "10",
      "--export", trained,
    ])
    #expect(result.status == 0, "\(result.error)")
    #expect(!result.error.contains("warning"), "\(result.error)")
    // The bundle has other labels in labels.txt, which no output names.
    #expect(
      try String(contentsOfFile: trained + "/assets/labels-2.txt", encoding: .utf8)
        == "1\n2\n3\n4\n5\n6\n7\n8\n9\nnone\n")
    let run = try await CommandRunner.run(
      ["run", trained, "Demo/images/digit-0-01.png", "--top", "1", "--json"])
    #expect(run.output.contains(#""label":"none""#), "\(run.output) \(run.error)")
    // The demo's labels are zero, one, ...
    try FileManager.default.moveItem(atPath: photos + "/1", toPath: photos + "/zero")
    let other = try await train(["--epochs", "1"], data: photos)
    #expect(other.status == 0)
    #expect(
      other.error.contains(
        "warning: class 0 of the data is '2', but the label 0 of 'probabilities' in model.json is "
          + "'zero'. Pass the order"), "\(other.error)")
  }

  @Test func `training continues from a checkpoint`() async throws {
    let folder = try TemporaryFolder()
    let first = try await train(["--epochs", "3", "--export", folder.path, "--json"])
    #expect(first.status == 0, "\(first.error)")
    #expect(
      try folder.contents == ["checkpoint.data-00000-of-00001", "checkpoint.index"])
    let second = try await train(
      ["--restore", folder.path, "--export", folder.path, "--epochs", "1", "--json"])
    #expect(second.status == 0, "\(second.error)")
    #expect(try losses(second)[0] < losses(first)[2])
  }

  @Test func `lines of JSON with images give the same losses as a folder of classes`() async throws
  {
    let folder = try TemporaryFolder()
    let root = CommandRunner.packageFolder.appending(path: "Demo/digits-training").path
    var lines: [String] = []
    for digit in 0..<10 {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(digit)").sorted()
      for name in names where !name.hasPrefix(".") {
        lines.append(#"{"image": "\#(root)/\#(digit)/\#(name)", "label": \#(digit)}"#)
      }
    }
    let file = folder.path + "/digits.jsonl"
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let fromLines = try await train(["--epochs", "1", "--json"], data: file)
    #expect(fromLines.status == 0, "\(fromLines.error)")
    #expect(try losses(fromLines) == losses(await train(["--epochs", "1", "--json"])))
  }

  @Test func `a label that isn't an integer is an error before the first step`() async throws {
    let folder = try TemporaryFolder()
    let image = CommandRunner.packageFolder.appending(path: "Demo/images/digit-7-01.png").path
    let lines = [7, 7.5].map { "{\"image\": \"\(image)\", \"label\": \($0)}\n" }
    let file = folder.path + "/digits.jsonl"
    try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
    let result = try await train(
      ["--batch-size", "1", "--no-shuffle", "--export", folder.path], data: file)
    #expect(result.status == 65)
    #expect(
      result.error.hasPrefix("error: '\(file)', line 2: 'label' takes int"), "\(result.error)")
    #expect(try folder.contents == ["digits.jsonl"])
  }

  @Test func `an unreadable image stops the training, which is still exported`()
    async throws
  {
    let folder = try TemporaryFolder()
    let copy = folder.path + "/data"
    let root = CommandRunner.packageFolder.appending(path: "Demo/digits-training").path
    try FileManager.default.copyItem(atPath: root, toPath: copy)
    try Data("no image".utf8).write(to: URL(filePath: copy + "/9/zzz.png"))
    let bundle = folder.path + "/part.tiobundle"
    let result = try await train(["--no-shuffle", "--export", bundle], data: copy)
    #expect(result.status == 65)
    #expect(result.error.contains("zzz.png"), "\(result.error)")
    #expect(result.error.contains("exported: \(bundle)"), "\(result.error)")
    #expect(try ModelBundle(bundle).manifest.model.modes == .predict)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal stops the training, which is still exported and plotted`(signal: Int32)
    async throws
  {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/part.tiobundle"
    let result = try await train(
      ["--epochs", "100000", "--export", bundle, "--plot", folder.path + "/loss.svg"],
      interruptedBy: signal)
    #expect(result.status == 130, "\(result.error)")
    #expect(result.error.contains("interrupted after "), "\(result.error)")
    #expect(try folder.contents == ["loss.svg", "part.tiobundle"])
    let run = try await CommandRunner.run(["run", bundle, "Demo/images/digit-7-01.png"])
    #expect(run.status == 0)
  }

  @Test func `a closed output pipe stops the training, which is still exported`()
    async throws
  {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/part.tiobundle"
    let result = try await CommandRunner.run(
      ["-c", "set -o pipefail; \"$@\" | head -n 1", "bash", CommandRunner.binary.path]
        + Self.command() + ["--epochs", "100000", "--json", "--export", bundle],
      executable: URL(filePath: "/bin/bash"))
    #expect(result.status == 130, "\(result.error)")
    #expect(result.output.hasPrefix(#"{"best":true,"epoch":1,"#), "\(result.output)")
    #expect(result.error.contains("interrupted after "), "\(result.error)")
    #expect(try ModelBundle(bundle).manifest.model.modes == .predict)
  }

  #if os(Linux)
  @Test(arguments: [8, 120], ["", "/x.tiobundle"])
  func `a full disk leaves no partial files, and a checkpoint finds it before training`(
    _ kilobytes: Int, _ name: String
  ) async throws {
    let folder = try TemporaryFolder()
    let temporary = try TemporaryFolder()
    // No file may grow beyond the limit: writes then fail as they do on a full disk.
    let script = "trap '' XFSZ; ulimit -f \(kilobytes); exec \"$@\""
    let result = try await CommandRunner.run(
      ["-c", script, "bash", CommandRunner.binary.path] + Self.command()
        + ["--export", folder.path + name],
      executable: URL(filePath: "/bin/bash"), environment: ["TMPDIR": temporary.path])
    #expect(result.status == 65)
    #expect(result.error.contains(folder.path), "\(result.error)")
    #expect(result.error.contains("File too large"), "\(result.error)")
    #expect(result.output.isEmpty == name.isEmpty, "\(result.output)")
    #expect(try folder.contents == [])
  }
  #endif

  @Test(arguments: [[], ["--keep-best"]])
  func `training that diverges is an error and exports nothing`(
    options: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let result = try await train(
      ["--epochs", "50", "--export", folder.path] + options, rate: "1e30")
    #expect(result.status == 65)
    #expect(result.error.contains("of epoch 1: the training has diverged"), "\(result.error)")
    #expect(try folder.contents == [])
  }

  @Test func `a missing placeholder is an error that names it`() async throws {
    let result = try await CommandRunner.run([
      "train", "Demo/digits-train.tiobundle", "--data", "Demo/digits-training",
    ])
    #expect(result.status == 65)
    #expect(
      result.error.hasSuffix(
        "error: There is no value for the placeholder 'learning_rate'. "
          + "Pass --placeholder learning_rate=VALUE.\n"), "\(result.error)")
  }
}

/// Whether TensorFlow's library can be opened, which tests that train need.
let hasTensorFlow: Bool = {
  let model = CommandRunner.packageFolder.appending(path: "Tests/Fixtures/SavedModels/vector").path
  return (try? TensorFlowBackend().tensorFlowModel(at: model, for: .predict)) != nil
}()
