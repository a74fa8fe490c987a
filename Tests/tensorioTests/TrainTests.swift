// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The part of `tensorio train` that loads no model.
struct TrainTests {
  @Test(arguments: [
    (
      ["--epochs", "0"],
      "--epochs takes a positive number, got 0. To export a checkpoint, pass --restore and --export, too."
    ),
    (
      ["--epochs", "0", "--restore", "x", "--export", "y", "--plot", "loss.svg"],
      "--plot has no effect with --epochs 0, which only exports a checkpoint. Leave it out."
    ),
    (["--epochs=-1"], "--epochs takes a positive number, got -1."),
    (["--batch-size", "0"], "--batch-size takes a positive number, got 0."),
    (["--threads", "0"], "--threads takes a number from 1 to 1024, got 0."),
    (["--validation", "1"], "--validation takes a share between 0 and 1, got 1.0."),
    (["--early-stopping", "0"], "--early-stopping takes a positive number, got 0."),
    (
      ["--validation", "0.1", "--validation-data", "x.jsonl"],
      "Pass either --validation or --validation-data, not both."
    ),
    (
      ["--higher-is-better"],
      "--higher-is-better needs --monitor NAME, because a lower loss is better."
    ),
    (
      ["--schedule", "rate=cosine:0.1", "--schedule", "rate=constant:0.1"],
      "--schedule names 'rate' twice. Leave one out."
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

  @Test func `a folder of checkpoints isn't one checkpoint, and the last one is named`()
    async throws
  {
    let folder = try TemporaryFolder()
    for name in ["epoch-00001", "epoch-00002", "epoch-00003"] {
      let path = folder.path + "/" + name
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      // The last one was never completed.
      guard name != "epoch-00003" else { continue }
      try Data("{}".utf8).write(to: URL(filePath: path + "/training.json"))
    }
    let result = try await train(["--restore", folder.path])
    #expect(
      result == (
        64, "",
        "error: '\(folder.path)' has the checkpoints of a training, and --restore takes one of them. "
          + "The last one is '\(folder.path)/epoch-00002'. To continue that training, pass "
          + "--checkpoints \(folder.path) --resume.\n"
      ))
  }

  @Test func `the data can only be missing without epochs`() async throws {
    let result = try await CommandRunner.run(["train", "Demo/digits-train.tiobundle"])
    #expect(result.status == 64)
    #expect(
      result.error.hasPrefix("Error: Pass --data PATH with the items to train the model on.\n"),
      "\(result.error)")
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

  @Test func `a model of TensorFlow Lite isn't converted`() async throws {
    let result = try await CommandRunner.run(
      ["convert", "Demo/digits.tiobundle", "-o", "x.tiobundle"],
      environment: ["TENSORIO_PYTHON": "/bin/sh"])
    #expect(result.status == 65)
    #expect(
      result.error
        == "error: 'Demo/digits.tiobundle' is a TensorFlow Lite model already. 'tensorio convert' takes "
        + "the bundle of a TensorFlow model, such as one of 'tensorio train ... --export NAME.tiobundle'.\n"
    )
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
