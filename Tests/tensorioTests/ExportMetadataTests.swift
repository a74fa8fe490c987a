// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import ModelTools
@testable import TensorIOLiteRT

/// The dictionaries that exporters write into models.
@Suite struct ExportMetadataTests {
  private static func literal(_ text: String) -> JSONValue? { PythonLiteral.read(Array(text.utf8)) }

  @Test func `Python's literals are read`() {
    #expect(
      Self.literal(#" {'a': 1, "b": [True, None, (-1.5e3,)], 2: {}, 'c': 'it\'s', } "#)
        == .object([
          "a": .number(1), "b": .array([.bool(true), .null, .array([.number(-1500)])]),
          "2": .object([:]), "c": .string("it's"),
        ]))
    #expect(Self.literal(#""\n\t\\\x41é\U0001F600é""#) == .string("\n\t\\Aé😀é"))
    #expect(Self.literal("False") == .bool(false))
    #expect(Self.literal("( )") == .array([]))
  }

  @Test(arguments: [
    "", "{", "{1}", "{'a' 1}", "{'a': }", "[1 2]", "[,]", "'a", #"'\q'"#, #"'\x4'"#, #"'\ud800'"#,
    "nan", "inf", "open('x')", "{} {}", "{1.5: 2}", "{None: 1}", "'\u{5C}",
    String(repeating: "[", count: 100_000), String(repeating: "{1:", count: 100_000),
  ])
  func `other text isn't a literal`(text: String) { #expect(Self.literal(text) == nil) }

  @Test func `bytes that aren't UTF-8 are no text`() {
    #expect(PythonLiteral.read([0x27, 0xFF, 0x27]) == nil)
    #expect(PythonLiteral.read([0xFF]) == nil)
  }

  private static func export(_ json: String) -> UltralyticsMetadata? {
    UltralyticsMetadata(Array(json.utf8), named: "metadata.json")
  }

  @Test func `an export states its task, classes, size and keypoints`() throws {
    let export = try #require(
      Self.export(
        #"""
        {"description": "YOLO", "author": "A", "license": "L", "version": "8", "task": "pose",
         "imgsz": [64, 96], "names": {"1": "b\nc", "0": "a", "3": 7}, "kpt_shape": [2, 3],
         "kpt_names": {"0": ["nose", "tail"]}, "args": {"nms": true}}
        """#))
    #expect(export.task == "pose")
    #expect(export.names == ["a", "b c", "2", "7"])
    #expect(export.size ?? (0, 0) == (96, 64))
    #expect(export.points ?? (0, 0) == (2, 3))
    #expect(export.pointNames == ["nose", "tail"])
    #expect(export.isEndToEnd)
    #expect(export.about.description == "YOLO" && export.about.version == "8")
    #expect(export.about.author == "A" && export.about.license == "L")
  }

  @Test func `the text of a Python dictionary is read like JSON`() throws {
    let text = "{'stride': 32, 'names': ['a', 'b'], 'imgsz': (64,)}"
    let export = try #require(UltralyticsMetadata(Array(text.utf8), named: "meta.txt"))
    #expect(export.task == nil && export.names == ["a", "b"])
    #expect(export.size ?? (0, 0) == (64, 64))
    #expect(!export.isEndToEnd)
  }

  @Test(arguments: [
    #"{"task": "detect"}"#, #"{"names": {"0": "a"}}"#, "[]", "{",
    #"{"task": "detect", "names": 1, "#,
  ])
  func `another file isn't an export`(json: String) { #expect(Self.export(json) == nil) }

  @Test(arguments: [
    #"{"0": "a", "x": "b"}"#, #"{"-1": "a"}"#, #"{"100000": "a"}"#,
    #"{"9223372036854775807": "a"}"#,
    "{}", "3", #""cat""#,
  ])
  func `names that aren't a list are left out`(names: String) throws {
    let export = try #require(
      Self.export(
        #"{"task": "detect", "imgsz": [1e300], "kpt_shape": [-1, 2], "names": \#(names)}"#))
    #expect(export.names.isEmpty && export.size == nil && export.points == nil)
  }

  @Test func `a file of more than a megabyte isn't read`() {
    let padding = String(repeating: " ", count: 1 << 20)
    #expect(Self.export(#"{"task": "detect", "names": []}"#) != nil)
    #expect(Self.export(#"{"task": "detect", "names": []}"# + padding) == nil)
  }
}
