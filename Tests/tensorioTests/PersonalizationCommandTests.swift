// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `tensorio train` with limits, on a .tflite file with a frozen layer and one that is trained.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library isn't installed."))
struct PersonalizationCommandTests {
  private static let bundle = "Tests/Fixtures/Federated/points.tiobundle"
  private static let items = """
    {"x": [1, 0], "y": [0, 0, 1]}
    {"x": [-0.5, 0.9], "y": [1, 0, 0]}
    {"x": [-0.5, -0.9], "y": [0, 1, 0]}

    """

  private func train(
    _ arguments: [String], _ folder: TemporaryFolder, repeats: Int = 1
  ) async throws -> CommandRunner.Result {
    let data = folder.path + "/mine.jsonl"
    try String(repeating: Self.items, count: repeats).write(
      toFile: data, atomically: true, encoding: .utf8)
    return try await CommandRunner.run(
      ["train", Self.bundle, "--data", data, "--placeholder", "rate=0.5"] + arguments)
  }

  @Test func `a personalization ends at its time limit, and its bundle has what it learned`()
    async throws
  {
    let folder = try TemporaryFolder()
    let mine = folder.path + "/mine.tiobundle"
    let result = try await train(
      ["--epochs", "100000000", "--time-limit", "2", "--memory-limit", "64MiB", "--export", mine],
      folder)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains(" epochs, at the time limit\n"), "\(result.error)")
    for (x, label) in [("[1, 0]", "c"), ("[-0.5, 0.9]", "a"), ("[-0.5, -0.9]", "b")] {
      let answer = try await CommandRunner.run([
        "run", mine, #"{"x": \#(x)}"#, "--top", "1", "--threshold", "0.9", "--json",
      ])
      #expect(answer.output.contains(#""label":"\#(label)""#), "\(answer)")
    }
  }

  @Test func `limits of steps and of memory are named`() async throws {
    let folder = try TemporaryFolder()
    let few = try await train(["--epochs", "9", "--step-limit", "4"], folder)
    #expect(few.status == 0)
    #expect(few.error.contains("ended after 4 of 9 epochs, at the limit of steps\n"))
    let small = try await train(
      ["--batch-size", "100000", "--memory-limit", "1MiB"], folder, repeats: 2_000)
    #expect(small.status == 64, "\(small)")
    #expect(small.error.contains("training's memory limit is 1 MiB"), "\(small.error)")
    let wrong = try await train(["--time-limit", "0"], folder)
    #expect(wrong.status == 64)
  }
}
