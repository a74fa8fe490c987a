// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `tensorio validate`.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct ValidateTests {
  private func validate(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["validate"] + arguments)
  }

  @Test func `sound bundles are valid`() async throws {
    let bundles = ["Demo/digits.tiobundle", "Demo/digits-int8.tiobundle"]
    #expect(
      try await CommandRunner.run(["validate"] + bundles)
        == (0, "Demo/digits.tiobundle: valid\nDemo/digits-int8.tiobundle: valid\n", ""))
    #expect(
      try await CommandRunner.run(["validate", "--json"] + bundles)
        == (
          0,
          #"[{"bundle":"Demo/digits.tiobundle","issues":[],"valid":true},"#
            + #"{"bundle":"Demo/digits-int8.tiobundle","issues":[],"valid":true}]"# + "\n", ""
        ))
  }

  @Test func `every issue is reported, not only the first`() async throws {
    let bundle = try TemporaryBundle(
      "add",
      inputs: [#"{"name": "x", "type": "array", "shape": [1], "labels": "labels.txt"}"#],
      outputs: [#"{"name": "y", "type": "picture", "shape": [1]}"#, #"{"name": "z"}"#])
    let result = try await validate(bundle.path, "--json")
    #expect(result.status == 65)
    #expect(result.error == "")
    let reports = try JSONDecoder().decode([Report].self, from: Data(result.output.utf8))
    #expect(reports.map(\.bundle) == [bundle.path])
    #expect(reports.map(\.valid) == [false])
    let found = Set(reports[0].issues.map { "\($0.code) at \($0.path)" })
    #expect(
      found.isSuperset(of: [
        "misplaced-key at inputs[0].labels", "unknown-value at outputs[0].type",
        "missing-key at outputs[1].type", "missing-key at outputs[1].shape",
      ]), "\(found.sorted())")
    for issue in reports[0].issues {
      #expect(issue.severity == "error" || issue.severity == "warning")
      #expect(!issue.expected.isEmpty && !issue.found.isEmpty && !issue.suggestion.isEmpty)
    }
  }

  @Test func `the text output says what was expected, what was found and how to fix it`()
    async throws
  {
    let bundle = try TemporaryBundle("add", shape: [7])
    #expect(
      try await validate(bundle.path) == (
        65,
        """
        \(bundle.path): 2 errors
          error [element-count-mismatch] at inputs[0].shape
            expected  1 value, because the tensor's shape is [1]
            found     7 in the shape [7]
            fix       Write the shape of the tensor 'x'.
          error [element-count-mismatch] at outputs[0].shape
            expected  at most 1 value, because the tensor's shape is [1]
            found     7 in the shape [7]
            fix       Write the tensor's shape.

        """, ""
      ))
    #expect(
      try await validate(bundle.path, "--description-only") == (0, "\(bundle.path): valid\n", ""))
  }

  @Test func `warnings alone leave the bundle valid`() async throws {
    let bundle = try TemporaryBundle(
      "add", inputs: [#"{"name": "x", "type": "array", "shape": [1]}"#],
      outputs: [
        #"{"name": "y", "type": "array", "shape": [1], "dequantize": {"standard": "[0,1]"}}"#
      ])
    let text = try await validate(bundle.path)
    #expect(text.status == 0)
    #expect(
      text.output.hasPrefix("\(bundle.path): valid, 1 warning\n  warning [ignored-field] at "))
    let json = try await validate(bundle.path, "--json")
    #expect(json.status == 0)
    let reports = try JSONDecoder().decode([Report].self, from: Data(json.output.utf8))
    #expect(reports[0].valid && reports[0].issues.map(\.severity) == ["warning"])
  }

  @Test func `too few labels are an error, and too many labels are a warning`() async throws {
    func bundle(labels: Int) throws -> TemporaryBundle {
      try TemporaryBundle(
        "no_signature", inputs: [#"{"name": "x", "type": "array", "shape": [3]}"#],
        outputs: [#"{"name": "y", "type": "array", "shape": [3], "labels": "labels.txt"}"#],
        assets: ["labels.txt": (0..<labels).map { "label \($0)\n" }.joined()])
    }
    for (count, code, status) in [(2, "too-few-labels", 65), (4, "too-many-labels", 0)] {
      let bundle = try bundle(labels: count)
      let result = try await validate(bundle.path, "--json")
      #expect(result.status == Int32(status))
      #expect(result.output.contains(#""code":"\#(code)""#), "\(result.output)")
    }
    let exact = try bundle(labels: 3)
    #expect(try await validate(exact.path) == (0, "\(exact.path): valid\n", ""))
  }

  @Test(arguments: [
    ("custom_op", [1, 3], [1, 3]), ("blockwise", [1, 32], [1, 2]),
  ])
  func `a model that the runtime can't run is an issue of its own`(
    model: String, input: [Int], output: [Int]
  ) async throws {
    let bundle = try TemporaryBundle(
      model, inputs: [#"{"name": "x", "type": "array", "shape": \#(input)}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": \#(output)}"#])
    let result = try await validate(bundle.path, "--json")
    #expect(result.status == 65 && result.error == "")
    let reports = try JSONDecoder().decode([Report].self, from: Data(result.output.utf8))
    #expect(reports[0].issues.map(\.code) == ["unusable-model"])
    #expect(reports[0].issues.map(\.path) == ["model.file"])
  }

  @Test func `columns that can't be encoded are an issue of the inputs`() async throws {
    let column = #"{"name": "a", "mean": 0, "std": 0}"#
    let bundle = try TemporaryBundle(
      "reverse_float32",
      inputs: [
        #"{"name": "x", "type": "features", "shape": [1], "columns": [\#(column)]}"#
      ],
      outputs: [#"{"name": "y", "type": "array", "shape": [1]}"#])
    let result = try await validate(bundle.path, "--json")
    #expect(result.status == 65 && result.error == "")
    let reports = try JSONDecoder().decode([Report].self, from: Data(result.output.utf8))
    #expect(reports[0].issues.map(\.code) == ["encoder-mismatch"], "\(result.output)")
    #expect(reports[0].issues.map(\.path) == ["inputs"])
  }

  @Test func `a missing bundle has its own exit code`() async throws {
    #expect(
      try await validate("/nowhere.tiobundle") == (
        66,
        """
        /nowhere.tiobundle: 1 error
          error [not-found] at /nowhere.tiobundle
            expected  a folder
            found     nothing
            fix       Pass the path of a .tiobundle folder.

        """, ""
      ))
    // If another bundle is invalid, the exit code is that for invalid bundles.
    let bundle = try TemporaryBundle("add", shape: [7])
    #expect(try await validate("/nowhere.tiobundle", bundle.path).status == 65)
  }

  @Test func `without the library, --description-only still checks model.json`() async throws {
    let nowhere = ["TENSORIO_LITERT_LIBRARY": "/nope"]
    let whole = try await CommandRunner.run(
      ["validate", "Demo/digits.tiobundle"], environment: nowhere)
    #expect(whole.status == 69 && whole.output == "")
    let description = try await CommandRunner.run(
      ["validate", "Demo/digits.tiobundle", "--description-only"], environment: nowhere)
    #expect(description == (0, "Demo/digits.tiobundle: valid\n", ""))
  }

  private struct Report: Decodable {
    struct Issue: Decodable {
      let severity, code, path, expected, found, suggestion: String

      private enum CodingKeys: String, CodingKey {
        case severity, code, path, expected, found
        case suggestion = "mending"
      }
    }
    let bundle: String
    let valid: Bool
    let issues: [Issue]
  }
}
