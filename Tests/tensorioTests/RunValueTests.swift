// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio run` on texts and rows of tables, with models that reverse the two rows of their inputs.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RunValueTests {
  private static let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nfilm\nwas\ngood\n##s\n"

  /// A bundle whose inputs are the indices, the mask and the types of four tokens.
  private func textBundle() throws -> TemporaryBundle {
    func input(_ part: String) -> String {
      #"{"name": "\#(part)", "type": "text", "shape": [2, 3], "tokenizer": "vocab.txt", "part": "\#(part)"}"#
    }
    return try TemporaryBundle(
      "reverse_int32", inputs: [input("ids")],
      outputs: [#"{"name": "tokens", "type": "array", "shape": [2, 3]}"#],
      assets: ["vocab.txt": Self.vocabulary])
  }

  private func run(_ arguments: [String]) async throws -> CommandRunner.Result {
    try await CommandRunner.runWithoutTimes(["run"] + arguments)
  }

  @Test(arguments: [
    ("The films", "tokens  [5, 4, 2, 0, 3, 8]\n"), ("\"good\"", "tokens  [3, 7, 2, 0, 0, 0]\n"),
    ("42", "tokens  [3, 1, 2, 0, 0, 0]\n"), ("", "tokens  [0, 3, 2, 0, 0, 0]\n"),
    (#"["good", "film"]"#, "tokens  [3, 7, 2, 0, 3, 5]\n"),
    (#"{"ids": "the film was good"}"#, "tokens  [5, 4, 2, 3, 7, 6]\n"),
  ])
  func `a text becomes tokens`(text: String, expected: String) async throws {
    let bundle = try textBundle()
    let result = try await run([bundle.path, text])
    #expect(result.output == expected, "\(result)")
    #expect(result.status == 0)
  }

  @Test func `a text can be in a file`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/text.txt"
    try "the film".write(toFile: path, atomically: true, encoding: .utf8)
    let bundle = try textBundle()
    let result = try await run([bundle.path, "@" + path])
    #expect(result.output == "tokens  [5, 4, 2, 0, 0, 3]\n", "\(result)")
    try Data([0x66, 0xFF]).write(to: URL(filePath: path))
    let damaged = try await run([bundle.path, "@" + path])
    #expect(damaged.status == 65)
    #expect(damaged.error.contains("is not UTF-8"), "\(damaged)")
  }

  @Test func `a table of texts is evaluated`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/texts.csv"
    try "text\nthe film\n\"good, good\"\n42\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let output = folder.path + "/rows.jsonl"
    let bundle = try textBundle()
    let result = try await CommandRunner.run(
      ["bulk", path, "--model", bundle.path, "-o", output, "--outputs", "all"])
    #expect(result.status == 0, "\(result)")
    let rows = try String(contentsOfFile: output, encoding: .utf8)
    #expect(rows.contains("[5,4,2,0,0,3]"), "\(rows)")
    #expect(rows.contains("[1,7,2,0,3,7]"), "\(rows)")
    #expect(rows.contains("[3,1,2,0,0,0]"), "\(rows)")
  }

  @Test func `an object is a row of a table`() async throws {
    let columns = #"""
      {"name": "area", "mean": 70, "std": 4}, {"name": "heating", "values": ["gas", "oil"]},
      {"name": "rooms", "missing": 2}, {"name": "floor", "min": 0, "max": 4}, {"name": "lift"}
      """#
    let bundle = try TemporaryBundle(
      "reverse_float32",
      inputs: [#"{"name": "flat", "type": "features", "shape": [2, 3], "columns": [\#(columns)]}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [2, 3]}"#])
    let row = #"{"area": 72, "heating": "oil", "floor": "3", "lift": true}"#
    for value in [row, #"{"flat": \#(row)}"#] {
      let result = try await run([bundle.path, value])
      #expect(result.output == "y  [1.0, 0.0, 0.5, 1.0, 0.75, 2.0]\n", "\(result)")
    }
    let missing = try await run([bundle.path, #"{"area": 72}"#])
    #expect(missing.status == 65)
    #expect(missing.error.contains("needs the column 'heating'"), "\(missing)")
    let list = try await run([bundle.path, "[1, 2, 3, 4, 5, 6]"])
    #expect(list.output == "y  [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]\n", "\(list)")
  }
}
