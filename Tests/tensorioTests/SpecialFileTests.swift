// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Pipes and devices where a file is expected: no command may wait for them.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct SpecialFileTests {
  private let folder = try? TemporaryFolder()
  private let digits = "Demo/digits.tiobundle"
  private let photo = "Demo/images/digit-0-01.png"

  private func path(_ name: String) throws -> String { try #require(folder).path + "/" + name }

  private func pipe(_ name: String) throws -> String {
    let path = try path(name)
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  /// Runs the command, which would hang if it opened the pipe, since nobody writes to it.
  private func expectRefusal(
    of pipe: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await CommandRunner.run(
      ["300", CommandRunner.binary.path] + arguments,
      executable: URL(filePath: "/usr/bin/timeout"))
    let text = result.output + result.error
    #expect(result.status == 65, "\(arguments) \(text)", sourceLocation: sourceLocation)
    #expect(
      text.contains("'\(pipe)' is a pipe, but a file was expected"), "\(arguments) \(text)",
      sourceLocation: sourceLocation)
  }

  @Test func `a pipe as an argument is refused`() async throws {
    let image = try pipe("p.jpg")
    let model = try pipe("p.tflite")
    let tensor = try pipe("p.npy")
    let table = try pipe("p.csv")
    let report = try pipe("p.json")
    let log = try pipe("p.jsonl")
    let new = try path("new.tiobundle")
    for (pipe, arguments) in [
      (image, ["run", digits, image]),
      (tensor, ["run", digits, "@" + tensor]),
      (report, ["run", digits, "@" + report]),
      (model, ["run", model, photo]),
      (model, ["inspect", model]),
      (model, ["bench", model]),
      (model, ["init", model, "--output", new]),
      (model, ["metadata", model, "--from", digits, "--output", new]),
      (image, ["bench", digits, image]),
      (tensor, ["parity", digits, photo, "--against", tensor]),
      (table, ["evaluate", table, "--model", digits]),
      (report, ["evaluate", report, "--model", digits]),
      (report, ["compare", report, report]),
      (report, ["merge", report, report]),
      (log, ["bulk", photo, "--model", digits, "--resume", "--output", log]),
      (log, ["train", "Demo/digits-train.tiobundle", "--data", log, "--epochs", "1"]),
    ] {
      try await expectRefusal(of: pipe, arguments)
    }
  }

  @Test(arguments: ["model.json", "model.tflite", "assets/labels.txt"])
  func `a pipe inside a bundle is refused`(_ name: String) async throws {
    let bundle = try path("b.tiobundle")
    try FileManager.default.copyItem(
      atPath: CommandRunner.packageFolder.appending(path: digits).path, toPath: bundle)
    try FileManager.default.removeItem(atPath: bundle + "/" + name)
    let pipe = try pipe("b.tiobundle/" + name)
    for arguments in [
      ["run", bundle, photo], ["inspect", bundle], ["validate", bundle], ["bench", bundle],
      ["evaluate", "Demo/digits.testbundle", "--model", bundle],
      ["bulk", photo, "--model", bundle, "--output", try path("rows.jsonl")],
    ] {
      try await expectRefusal(of: pipe, arguments)
    }
  }

  @Test func `a device is refused, but standard input from a pipe is read`() async throws {
    let refused = try await CommandRunner.run(["run", digits, "/dev/zero"])
    #expect(
      refused == (
        65, "",
        "error: '/dev/zero' is a device, but a file was expected. Write its contents to a file first.\n"
      ))
    let piped = try await CommandRunner.run(
      ["-c", "cat \(photo) | \(CommandRunner.binary.path) run \(digits) /dev/stdin"],
      executable: URL(filePath: "/bin/sh"))
    #expect(piped.status == 0)
    #expect(piped.output.contains("1.0000  zero"))
  }
}
