// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The part of `tensorio train` that loads no model.
struct TrainTests {
  @Test(arguments: [
    (["--epochs", "0"], "--epochs takes a positive number, got 0."),
    (["--batch-size", "0"], "--batch-size takes a positive number, got 0."),
    (["--threads", "0"], "--threads takes a number from 1 to 1024, got 0."),
    (["--validation", "1"], "--validation takes a share between 0 and 1, got 1.0."),
    (["--early-stopping", "0"], "--early-stopping takes a positive number, got 0."),
    (
      ["--validation", "0.1", "--validation-data", "x.jsonl"],
      "Pass either --validation or --validation-data, not both."
    ),
    (["--plot", "loss.png"], "--plot takes a path that ends in .svg, got 'loss.png'."),
    (["--export-output", "y"], "--export-output needs --export NAME.tiobundle."),
    (
      ["--export-output", "y", "--export", "x"],
      "--export-output needs --export NAME.tiobundle."
    ),
  ])
  func `wrong usage is refused`(arguments: [String], message: String) async throws {
    let result = try await train(arguments)
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.error.hasPrefix("Error: \(message)\n"), "\(result.error)")
    #expect(result.error.contains("Usage: tensorio train "), "\(result.error)")
  }

  @Test func `an existing bundle isn't overwritten`() async throws {
    #expect(
      try await train(["--export", "Demo/digits.tiobundle"])
        == (
          64, "",
          "error: 'Demo/digits.tiobundle' already exists. Bundles aren't overwritten. "
            + "Choose another name.\n"
        ))
  }

  @Test func `--classes with a file is refused without a usage text`() async throws {
    #expect(
      try await CommandRunner.run([
        "train", "Demo/digits-train.tiobundle", "--data", "points.jsonl", "--classes", "a,b",
      ])
        == (
          64, "", "error: --classes needs a folder of classes, but 'points.jsonl' isn't a folder.\n"
        ))
  }

  @Test(arguments: [
    (["--plot", "no/loss.svg"], "There is no folder 'no' for the plot."),
    (["--restore", "nowhere"], "There is no folder 'nowhere' with a checkpoint."),
  ])
  func `a missing folder is an error before the training`(
    arguments: [String], message: String
  ) async throws {
    let result = try await train(arguments)
    #expect(result.status == 66)
    #expect(result.error.hasPrefix("error: \(message)"), "\(result.error)")
  }

  @Test func `a bundle that doesn't describe training is refused`() async throws {
    #expect(
      try await train([])
        == (
          65, "",
          "error: 'Demo/digits.tiobundle' doesn't describe training. Add \"train\" to "
            + "model.modes, and list the operations of a training step in train.ops.\n"
        ))
  }

  @Test(
    .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
    arguments: [
      ["run", "Demo/digits.tiobundle", "Demo/images/digit-0-01.png"],
      ["bench", "Demo/digits.tiobundle"],
    ])
  func `a placeholder that the model doesn't have is refused`(arguments: [String]) async throws {
    #expect(
      try await CommandRunner.run(arguments + ["--placeholder", "rate=1"])
        == (65, "", "error: The model has no placeholder 'rate'; it has no placeholders.\n"))
  }

  private func train(_ arguments: [String]) async throws -> CommandRunner.Result {
    try await CommandRunner.run(
      ["train", "Demo/digits.tiobundle", "--data", "points.jsonl"] + arguments)
  }
}
