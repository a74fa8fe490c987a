// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// `tensorio generate`, and the example that uses the plugin.
@Suite struct GenerateCommandTests {
  private static let digits = "Demo/digits.tiobundle"

  private static func generate(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["generate"] + arguments)
  }

  @Test func `the type goes to standard output`() async throws {
    let result = try await Self.generate(Self.digits)
    let file = CommandRunner.packageFolder
      .appending(path: "Tests/SwiftGenerationTests/Generated/Digits.swift")
    #expect(result.status == 0 && result.error == "")
    #expect(result.output == (try String(contentsOf: file, encoding: .utf8)))
  }

  @Test func `a file is written, checked, and written again`() async throws {
    let folder = try TemporaryFolder()
    let output = folder.path + "/Digits.swift"
    var result = try await Self.generate(Self.digits, "-o", output, "--check")
    #expect(result.status == 1 && result.output == "")
    #expect(
      result.error
        == "error: '\(output)' is missing. Write it with 'tensorio generate \(Self.digits) "
        + "-o \(output)'.\n")
    result = try await Self.generate(Self.digits, "-o", output)
    #expect(result.status == 0 && result.output == "" && result.error == "")
    #expect(try folder.contents == ["Digits.swift"])
    #expect(try await Self.generate(Self.digits, "-o", output, "--check").status == 0)
    result = try await Self.generate(Self.digits, "-o", output, "--access", "public", "--check")
    #expect(result.status == 1)
    #expect(result.error.contains("is out of date. Write it with"), "\(result.error)")
    #expect(try await Self.generate(Self.digits, "-o", output, "--access", "public").status == 0)
    #expect(try String(contentsOfFile: output, encoding: .utf8).contains("public struct Digits"))
  }

  @Test func `a file that a person wrote isn't replaced`() async throws {
    let folder = try TemporaryFolder()
    let output = folder.path + "/Digits.swift"
    try "struct Digits {}\n".write(toFile: output, atomically: true, encoding: .utf8)
    let result = try await Self.generate(Self.digits, "--output", output)
    #expect(result.status == 64)
    #expect(result.error.contains("exists and wasn't generated. Pass --force to replace it."))
    let check = try await Self.generate(Self.digits, "--output", output, "--check")
    #expect(
      check == (
        1, "",
        "error: '\(output)' wasn't generated. Check the path, or replace the file with 'tensorio generate "
          + "\(Self.digits) --output \(output) --force'.\n"
      ))
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "struct Digits {}\n")
    #expect(try await Self.generate(Self.digits, "--output", output, "--force").status == 0)
  }

  @Test func `options set the name, the path and the loader`() async throws {
    let result = try await Self.generate(
      Self.digits, "--type", "DigitReader", "--path", "/srv/digits.tiobundle", "--needs-loader")
    #expect(result.status == 0)
    #expect(result.output.contains("struct DigitReader: Sendable {"))
    #expect(result.output.contains("init(at path: String = \"/srv/digits.tiobundle\", loader: "))
    #expect(!result.output.contains("import TensorIOLiteRT"))
    let whole = CommandRunner.packageFolder.appending(path: Self.digits).path
    #expect(
      try await Self.generate(whole).output.contains("at path: String = \"digits.tiobundle\","))
    #expect(
      try await Self.generate("./" + Self.digits + "/").output.contains("= \"\(Self.digits)\","))
  }

  @Test(arguments: [
    (["Demo/none.tiobundle"], 66, "There is no bundle 'Demo/none.tiobundle'."),
    ([digits, "--access", "private"], 64, "private"),
    ([digits, "--type", "a b"], 64, "'a b' can't be the name of a type."),
    ([digits, "--check"], 64, "--check needs --output with the file to check, such as "),
    ([digits, "--output", "Demo"], 64, "'Demo' is a folder. Pass the name of a file."),
    (
      [digits, "--output", "none/Digits.swift"], 66,
      "There is no folder 'none' for 'none/Digits.swift'."
    ),
  ])
  func `a wrong use says what to do`(
    arguments: [String], status: Int32, message: String
  ) async throws {
    let result = try await CommandRunner.run(["generate"] + arguments)
    #expect(result.status == status)
    #expect(result.error.contains(message), "\(result.error)")
    #expect(result.output == "")
  }

  @Test func `a placeholder gets no type`() async throws {
    let bundle = try TemporaryBundle(nil, inputs: [], outputs: [])
    let file = bundle.path + "/model.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("{\"name\"", with: "{\"placeholder\": true, \"name\"", maxReplacements: 1)
      .write(toFile: file, atomically: true, encoding: .utf8)
    let result = try await Self.generate(bundle.path)
    #expect(result.status == 65)
    #expect(result.error.contains("is a placeholder without a model"), "\(result.error)")
  }

  // MARK: - The plugin's program and the example

  private static func built(_ name: String) -> URL {
    CommandRunner.binary.deletingLastPathComponent().appending(path: name)
  }

  @Test func `the plugin's program follows the settings of a target`() async throws {
    let folder = try TemporaryFolder()
    let settings = folder.path + "/TensorIOModels.json"
    let output = folder.path + "/a.swift"
    func generate(_ text: String) async throws -> CommandRunner.Result {
      try text.write(toFile: settings, atomically: true, encoding: .utf8)
      return try await CommandRunner.run(
        [Self.digits, output, "--resource", "Models/digits.tiobundle", "--settings", settings],
        executable: Self.built("tensorio-generator"))
    }
    let result = try await generate(
      #"{"access": "package", "types": {"digits.tiobundle": "DigitReader"}}"#)
    #expect(result.status == 0 && result.error == "")
    let source = try String(contentsOfFile: output, encoding: .utf8)
    #expect(source.contains("package struct DigitReader: Sendable {"))
    #expect(source.contains("folder + \"/Models/digits.tiobundle\""))
    for (text, message) in [
      ("{", "isn't JSON ("), ("[]", "isn't an object"),
      (#"{"acces": "public"}"#, "has the unknown key \"acces\"."),
      (#"{"access": 1}"#, "has a number for \"access\"."),
      (#"{"types": {"digits": "DigitReader"}}"#, "'digits', which isn't the name of a bundle."),
      (#"{"access": "open"}"#, "Write \"public\""),
      (#"{"types": {"digits.tiobundle": "class"}}"#, "'class' can't be the name of a type."),
    ] {
      let result = try await generate(text)
      #expect(result.status == 1)
      #expect(
        result.error.hasPrefix("error: ") && result.error.contains(message), "\(result.error)")
      #expect(result.error.contains("digits.tiobundle"), "\(result.error)")
    }
  }

  @Test func `the plugin's program names the bundle of each error`() async throws {
    let bundle = try TemporaryBundle(
      "add", inputs: [#"{"name": "x", "type": "arry", "shape": [1]}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [1], "dtpe": "int8"}"#])
    let result = try await CommandRunner.run(
      [bundle.path, bundle.path + ".swift"], executable: Self.built("tensorio-generator"))
    #expect(result.status == 1)
    let lines = result.error.split(separator: "\n")
    let name = URL(filePath: bundle.path).lastPathComponent
    #expect(lines.count > 1)
    #expect(lines.allSatisfy { $0.hasPrefix("error: '\(name)': ") }, "\(result.error)")
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `the example names the digits with its generated type`() async throws {
    let (seven, missing) = ("Demo/images/digit-7-01.png", "Demo/images/none.png")
    let result = try await CommandRunner.run(
      [seven, missing], executable: Self.built("typed-digits"))
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("\(seven): seven "), "\(result.output)")
    #expect(result.output.hasSuffix("\(seven): lucky\n"))
    #expect(result.error.contains(missing), "\(result.error)")
  }

  @Test func `the example's bundle is the one of the demo`() throws {
    for file in ["model.json", "model.tflite", "assets/labels.txt"] {
      let files = ["Demo", "Examples/TypedDigits"].map {
        CommandRunner.packageFolder.appending(path: "\($0)/digits.tiobundle/\(file)")
      }
      #expect(try Data(contentsOf: files[0]) == (try Data(contentsOf: files[1])))
    }
  }
}
