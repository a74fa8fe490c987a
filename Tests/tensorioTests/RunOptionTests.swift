// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// `tensorio run`: labels, options, wrong inputs, and the two output streams.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RunOptionTests {
  private func run(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.runWithoutTimes(["run"] + arguments)
  }

  // MARK: - Labels

  /// A bundle that doubles three values, with labels.
  private func labelled(_ labels: [String] = ["ant", "bee", "cat"]) throws -> TemporaryBundle {
    try TemporaryBundle(
      "no_signature", inputs: [#"{"name": "x", "type": "array", "shape": [3]}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [3], "labels": "labels.txt"}"#],
      assets: ["labels.txt": labels.joined(separator: "\n") + "\n"])
  }

  @Test(arguments: [
    ([], #"{"ant":0.2,"bee":0.6,"cat":0.6}"#),
    (
      ["--top", "2"], #"[{"label":"bee","value":0.6},{"label":"cat","value":0.6}]"#
    ),
    (
      ["--top", "9"],
      #"[{"label":"bee","value":0.6},{"label":"cat","value":0.6},{"label":"ant","value":0.2}]"#
    ),
    (
      ["--threshold", "0.2"], #"[{"label":"bee","value":0.6},{"label":"cat","value":0.6}]"#
    ),
    (["--top", "1", "--threshold", "0.3"], #"[{"label":"bee","value":0.6}]"#),
    (["--top", "1", "--threshold", "0.6"], "[]"),
    (["--top", "1", "--threshold", "-0.5"], #"[{"label":"bee","value":0.6}]"#),
  ])
  func `labels are a JSON object, or an ordered array with --top or --threshold`(
    options: [String], value: String
  ) async throws {
    let bundle = try labelled()
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, "[0.1, 0.3, 0.3]", "--json"] + options)
    #expect(result == (0, Latencies.json(around: #"{"y":\#(value)}"#), ""))
  }

  @Test(arguments: [
    ([], "y\n  0.6000  bee\n  0.6000  cat\n  0.2000  ant\n"),
    (["--top", "1"], "y\n  0.6000  bee\n"),
    (["--threshold", "0.2"], "y\n  0.6000  bee\n  0.6000  cat\n"),
    (["--threshold", "1"], "y\n  no value above the threshold\n"),
  ])
  func `the text output lists the highest labels first`(options: [String], text: String)
    async throws
  {
    let bundle = try labelled()
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, "[0.1, 0.3, 0.3]"] + options)
    #expect(result == (0, text, Latencies.line))
  }

  @Test func `of two equal labels, the object has the last, and the ordered array has both`()
    async throws
  {
    let bundle = try labelled(["crane", "bee", "crane"])
    let object = try await run(bundle.path, "[1, 2, 3]", "--json")
    #expect(object.output == Latencies.json(around: #"{"y":{"bee":4,"crane":6}}"#))
    let ordered = try await run(bundle.path, "[1, 2, 3]", "--json", "--top", "3")
    #expect(
      ordered.output
        == Latencies.json(
          around: #"{"y":[{"label":"crane","value":6},{"label":"bee","value":4},"#
            + #"{"label":"crane","value":2}]}"#))
  }

  // MARK: - Options

  @Test(arguments: [
    ["--iterations", "5"], ["--threads", "2"], ["--timeout", "60"],
    ["--signature", "serving_default"],
  ])
  func `options that don't affect the outputs leave them unchanged`(options: [String]) async throws
  {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.runWithoutTimes(["run", bundle.path, "2"] + options)
    #expect(result == (0, "y  25.0\n", Latencies.line))
  }

  @Test func `a signature is chosen by its key`() async throws {
    let bundle = try TemporaryBundle(
      "two_signatures", inputs: [#"{"name": "number", "type": "array", "shape": [2]}"#],
      outputs: [#"{"name": "squared", "type": "array", "shape": [2]}"#])
    #expect(
      try await run(bundle.path, "[3, -4]", "--signature", "square")
        == (0, "squared  [9.0, 16.0]\n", Latencies.line))
    #expect(
      try await run(bundle.path, "[3, -4]", "--signature", "cube")
        == (
          65, "",
          "error: The model in '\(bundle.path)' has no signature 'cube'; it has 'double', "
            + "'square'.\n"
        ))
  }

  @Test func `a run that exceeds --timeout is stopped with an error`() async throws {
    let bundle = try TemporaryBundle("slow", shape: [1], dtype: "int32")
    let message =
      "error: The run was stopped because the command took longer than --timeout 0.3 seconds.\n"
    #expect(
      try await run(bundle.path, "2000000000", "--timeout", "0.3") == (65, "", message))
    let json = try await run(bundle.path, "2000000000", "--timeout", "0.3", "--json")
    #expect(json == (65, "", message))
    #expect(
      try await run(bundle.path, "100", "--timeout", "30") == (0, "y  100\n", Latencies.line))
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "/dev/full doesn't exist."))
  func `outputs that can't be printed are an error`() async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.run(
      ["-c", "exec \"$@\" > /dev/full", "sh", CommandRunner.binary.path, "run", bundle.path, "2"],
      executable: URL(filePath: "/bin/sh"))
    #expect(result.status == 65)
    #expect(
      result.error == "error: The output couldn't be written: No space left on device.\n")
  }

  @Test func `Ctrl-C ends the repetitions and prints the outputs`() async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.run(
      ["run", bundle.path, "2", "--iterations", "1000000000", "--json"], interruptedAfter: 2)
    #expect(result.status == 130)
    #expect(Latencies.removed(from: result.output) == Latencies.json(around: #"{"y":25}"#))
    #expect(result.error.wholeMatch(of: /interrupted after \d+ of 1000000000 runs\n/) != nil)
  }

  @Test func `a placeholder bundle has no outputs`() async throws {
    let bundle = try TemporaryBundle(nil, inputs: [], outputs: [])
    let manifest = URL(filePath: bundle.path + "/model.json")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    try text.replacing(#""name": "Test""#, with: #""placeholder": true, "name": "Test""#)
      .write(to: manifest, atomically: true, encoding: .utf8)
    let message = "The bundle is a placeholder without a model, so there are no outputs.\n"
    #expect(try await run(bundle.path, "2") == (0, "", message))
    #expect(
      try await run(bundle.path, "--json") == (0, Latencies.json(around: "{}"), message))
  }

  // MARK: - Wrong inputs

  @Test(arguments: [
    ([], "The input is missing. Pass VALUE, or --input NAME=VALUE for 'x'."),
    (["{}"], "There is no value for the input 'x'."),
    ([#"{"z": 1}"#], "The model has no input 'z'; its only input is 'x'."),
    (["--input", "z=1"], "The model has no input 'z'; its only input is 'x'."),
    (["[1, 2, 3, 4, 5]"], "'x' takes 6 values (shape [2, 3]), got 5."),
    (["[1, 2, 3, 4, 5, 6, 7]"], "'x' takes 6 values (shape [2, 3]), got 7."),
    (["5"], "'x' takes 6 values (shape [2, 3]), got 1."),
    (
      ["[1, 2, 3, 4, 5, 300]"],
      "'x' at index 5 takes uint8 values, got 300: it is not between 0 and 255."
    ),
    (
      ["[1, 2, 3, 4, 5, 255.5]"],
      "'x' at index 5 takes uint8 values, got 255.5: it is not between 0 and 255."
    ),
    ([#""text""#], "'x' takes uint8 values, got text."),
    (["null"], "'x' takes a number, an array or text, got null."),
    (["Demo/images/digit-0-01.png"], "'x' takes uint8 values, got an image."),
    (
      ["nonsense"],
      "'nonsense' is neither JSON (line 1, column 2: found 'o', but 'null' was expected) nor the "
        + "path of an image. Use @FILE for other files."
    ),
    (["--input", "x=1", "--input", "x=2"], "--input 'x' is given twice."),
  ])
  func `a wrong input is an error that says what was expected and found`(
    arguments: [String], message: String
  ) async throws {
    let bundle = try TemporaryBundle("reverse_uint8", shape: [2, 3], dtype: "uint8")
    #expect(
      try await CommandRunner.run(["run", bundle.path] + arguments)
        == (65, "", "error: \(message)\n"))
  }

  @Test func `an image layer takes only images`() async throws {
    for (value, found) in [("[1, 2]", "an array"), ("5", "a number")] {
      #expect(
        try await run("Demo/digits.tiobundle", value)
          == (65, "", "error: 'image' takes an image, got \(found).\n"))
    }
    #expect(
      try await run("Demo/digits.tiobundle", "Demo/images/none.png")
        == (66, "", "error: There is no file 'Demo/images/none.png'.\n"))
    let damaged = try await run("Demo/digits.tiobundle", "Tests/Fixtures/Images/truncated.png")
    #expect(damaged.status == 65 && damaged.output == "")
    #expect(damaged.error.hasPrefix("error: 'Tests/Fixtures/Images/truncated.png'"))
  }

  // MARK: - The demo

  @Test(arguments: ["digits", "digits-int8"])
  func `every demo image is classified correctly`(name: String) async throws {
    let words = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ]
    let folder = CommandRunner.packageFolder.appending(path: "Demo/images").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(files.count == 20)
    for file in files {
      let digit = try #require(Int(file.split(separator: "-")[1]))
      let result = try await run(
        "Demo/\(name).tiobundle", "Demo/images/\(file)", "--top", "1", "--json")
      #expect(result.status == 0 && result.error == "")
      let wanted = #"{"classification":\[{"label":"\#(words[digit])","value":[.0-9]+}\]}"#
      #expect(result.output.contains(try Regex(wanted)), "\(file): \(result.output)")
      let text = try await run("Demo/\(name).tiobundle", "Demo/images/\(file)", "--top", "3")
      let lines = text.output.split(separator: "\n")
      #expect(lines.count == 4 && lines[0] == "classification")
      #expect(lines[1].hasSuffix("  " + words[digit]), "\(file): \(text.output)")
    }
  }
}
