// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Tests test bundles as the contract describes them.
@Suite struct DatasetTestBundleTests {
  private static let good = """
    {
      "name": "Chairs", "id": "chairs-1", "version": "2",
      "models": ["a", "b",],
      "options": {"iterations": 3, "metric": "EvaluationMetricAccuracyTop5"},
      "images": [
        {"type": "file", "path": "images/02.jpg"},
        {"type": "file", "path": "images/01.jpg"},
        {"type": "url", "path": "https://example.org/x.jpg"},
      ],
      "labels": [
        {"path": "images/01.jpg", "inference_results": {"classification": {"rocking chair": ""}}},
        {"path": "images/02.jpg", "inference_results": {"classification": {"zebra": 0.6, "ant": 1}}},
      ]
    }
    """

  private func read(_ text: String) throws -> Dataset {
    try DatasetFolder(["x.testbundle/test.json": text]).dataset("x.testbundle")
  }

  private func issues(_ text: String) throws -> [String] {
    let error = #expect(throws: TensorIOError.self) { try read(text) }
    #expect(error?.code == .invalidBundle)
    return (error?.issues ?? []).map { "\($0.code.rawValue) \($0.path)" }
  }

  @Test func `all fields are read, in the document's order`() throws {
    let folder = try DatasetFolder(["x.testbundle/test.json": Self.good])
    let dataset = try folder.dataset("x.testbundle/")
    #expect(dataset.layout == .testBundle)
    #expect(dataset.name == "Chairs")
    #expect(dataset.id == "chairs-1")
    #expect(dataset.version == "2")
    #expect(dataset.modelIDs == ["a", "b"])
    #expect(dataset.iterations == 3)
    #expect(dataset.metric == "EvaluationMetricAccuracyTop5")
    #expect(dataset.ids == ["images/02.jpg", "images/01.jpg", "https://example.org/x.jpg"])
    #expect(dataset.truths == [.label("zebra"), .label("rocking chair"), nil])
    #expect(dataset.samples.map(\.source.kind) == ["file", "file", "url"])
    #expect(dataset.samples[0].source.id == folder.path + "/x.testbundle/images/02.jpg")
    #expect(dataset.notes == ["1 image of 3 without a label"])
  }

  @Test func `the first key is the first one in the document`() throws {
    for last in 0..<50 {
      let keys = (0...last).map { "\"k\(($0 * 7) % 51)\": 0" }.joined(separator: ", ")
      let results = "{\"o\": {\(keys)}, \"a\": {\"other\": 1}}"
      let dataset = try read(
        Self.good.replacing("{\"classification\": {\"rocking chair\": \"\"}}", with: results))
      #expect(dataset.truths[1] == .label("k0"))
    }
  }

  @Test(arguments: [
    ("{\"price\": 3.5}", GroundTruth.values([3.5])),
    ("{\"pose\": [1, -2.5, 9007199254740993]}", .values([1, -2.5, 9_007_199_254_740_992])),
    ("{\"c\": {\"a\\u0062 \\\"q\\\" \\uD83D\\uDE00\": \"\"}}", .label("ab \"q\" 😀")),
    ("{\"c\": {\"\": 1}}", .label("")),
    ("{\"c\": \"cat\"}", .results(.object(["c": .string("cat")]))),
    ("{\"c\": [1, \"x\"]}", .results(.object(["c": .array([.number(1), .string("x")])]))),
    ("{\"c\": [[1]]}", .results(.object(["c": .array([.array([.number(1)])])]))),
    ("{\"c\": [true]}", .results(.object(["c": .array([.bool(true)])]))),
    ("{\"c\": null}", .results(.object(["c": .null]))),
    ("{\"c\": {}}", .results(.object(["c": .object([:])]))),
  ])
  func `a label's form decides its kind`(_ results: String, _ truth: GroundTruth) throws {
    let text = Self.good.replacing("{\"classification\": {\"rocking chair\": \"\"}}", with: results)
    try #expect(read(text).truths[1] == truth)
  }

  @Test func `an empty label is ignored and noted`() throws {
    let text = Self.good.replacing("{\"classification\": {\"rocking chair\": \"\"}}", with: "{ }")
    let dataset = try read(text)
    #expect(dataset.truths[1] == nil)
    #expect(
      dataset.notes == ["1 label with empty inference_results", "2 images of 3 without a label"])
  }

  @Test func `a label without an image is noted`() throws {
    let dataset = try read(
      Self.good.replacing("{\"path\": \"images/01.jpg\"", with: "{\"path\": \"./images/01.jpg\""))
    #expect(dataset.truths[1] == nil)
    #expect(
      dataset.notes.contains("1 label for no image in the list, such as './images/01.jpg'"))
  }

  @Test(arguments: [
    "name", "id", "version", "models", "options", "images", "labels", "options.iterations",
    "options.metric", "images[0].type", "images[0].path", "labels[0].path",
    "labels[0].inference_results",
  ])
  func `for a missing field, the error names it`(_ path: String) throws {
    let key = path.split(separator: ".").last.map(String.init) ?? path
    // The first occurrence after the start of the object.
    let start = path.split(separator: "[").first.map(String.init) ?? path
    let from = try #require(Self.good.range(of: "\"\(start.split(separator: ".")[0])\""))
    let place = try #require(
      Self.good.range(of: "\"\(key)\"", range: from.lowerBound..<Self.good.endIndex))
    let text = Self.good.replacingCharacters(in: place, with: "\"x\(key)\"")
    try #expect(issues(text) == ["missing-key \(path)"])
  }

  @Test(arguments: [
    ("\"Chairs\"", "1", ["wrong-type name"]),
    ("[\"a\", \"b\",]", "[\"a\", 2]", ["wrong-type models[1]"]),
    ("[\"a\", \"b\",]", "\"a\"", ["wrong-type models"]),
    ("\"iterations\": 3", "\"iterations\": 0", ["wrong-type options.iterations"]),
    ("\"iterations\": 3", "\"iterations\": 1.5", ["wrong-type options.iterations"]),
    ("\"iterations\": 3", "\"iterations\": 1e300", ["wrong-type options.iterations"]),
    ("\"iterations\": 3", "\"iterations\": 9223372036854775807", ["wrong-type options.iterations"]),
    ("\"type\": \"url\"", "\"type\": \"album\"", ["unknown-value images[2].type"]),
    ("\"type\": \"url\"", "\"type\": 4", ["wrong-type images[2].type"]),
    ("\"https:", "\"ftp:", ["unknown-value images[2].path"]),
    (
      "\"path\": \"images/02.jpg\"}", "\"path\": \"/etc/passwd\"}",
      ["path-outside-bundle images[0].path"]
    ),
    (
      "\"path\": \"images/02.jpg\"}", "\"path\": \"images/../../x.jpg\"}",
      ["path-outside-bundle images[0].path"]
    ),
    (
      "\"path\": \"images/02.jpg\"}", "\"path\": \"a\\u0000b\"}",
      ["path-outside-bundle images[0].path"]
    ),
    ("\"path\": \"images/02.jpg\"}", "\"path\": \"\"}", ["path-outside-bundle images[0].path"]),
    (
      "\"path\": \"images/02.jpg\"}", "\"path\": \"images/01.jpg\"}",
      ["duplicate-name images[1].path"]
    ),
    (
      "{\"path\": \"images/02.jpg\"", "{\"path\": \"images/01.jpg\"",
      ["duplicate-name labels[1].path"]
    ),
    (
      "\"zebra\": 0.6, \"ant\": 1", "\"ant\": 0.6, \"ant\": 1",
      ["duplicate-name labels[1].inference_results.classification.ant"]
    ),
    (
      "{\"classification\": {\"rocking chair\": \"\"}}", "[]",
      ["wrong-type labels[0].inference_results"]
    ),
  ])
  func `for a violation, the error names its path`(
    _ old: String, _ new: String, _ expected: [String]
  ) throws {
    #expect(Self.good.contains(old))
    try #expect(issues(Self.good.replacing(old, with: new)) == expected)
  }

  @Test func `all violations are collected`() throws {
    let text = "{\"name\": 1, \"images\": [3, {\"type\": \"x\", \"path\": \"p\"}]}"
    try #expect(
      issues(text) == [
        "wrong-type name", "missing-key id", "missing-key version", "missing-key models",
        "missing-key options", "wrong-type images[0]", "unknown-value images[1].type",
        "missing-key labels",
      ])
  }

  @Test func `malformed JSON is an error with line and column`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try read("{\n  \"name\": \"x\",\n  \"id\": 'y'\n}")
    }
    #expect(error?.issues.first?.code == .malformedJSON)
    #expect(error?.message.contains("line 3, column 9") == true)
  }

  @Test func `UTF-16 is rejected, but a byte order mark is accepted`() throws {
    let folder = try DatasetFolder()
    try folder.write(
      Array(try #require(Self.good.data(using: .utf16))), to: "a.testbundle/test.json")
    let error = #expect(throws: TensorIOError.self) { try folder.dataset("a.testbundle") }
    #expect(error?.message.contains("UTF-8") == true)
    try #expect(read("\u{FEFF}" + Self.good).samples.count == 3)
  }

  @Test func `a folder without test.json is an error, and a wrong extension is noted`() throws {
    let folder = try DatasetFolder(["a.testbundle/x.jpg": "", "b/test.json": Self.good])
    let error = #expect(throws: TensorIOError.self) { try folder.dataset("a.testbundle") }
    #expect(error?.issues.first?.code == .noManifest)
    try #expect(folder.dataset("b").notes.first?.hasPrefix("read as a test bundle") == true)
    try #expect(folder.dataset("b/test.json").samples.count == 3)
    #expect(throws: TensorIOError.self) { try folder.dataset("b/test.json", layout: .csv) }
  }

  @Test func `deep nesting gives an error or a dataset`() throws {
    for depth in [100, 505, 509, 512, 514, 600, 100_000] {
      let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let text = Self.good.replacing("{\"rocking chair\": \"\"}", with: deep)
      do {
        try #expect(read(text).samples.count == 3)
        #expect(depth <= 512)
      } catch is TensorIOError {}
    }
  }

  @Test(arguments: 0..<200)
  func `a damaged document gives an error or a dataset`(_ number: Int) throws {
    let folder = try DatasetFolder()
    try folder.write(damagedCopy(Self.good, number), to: "x.testbundle/test.json")
    do {
      let dataset = try folder.dataset("x.testbundle")
      #expect(Set(dataset.ids).count == dataset.samples.count)
    } catch let error as TensorIOError {
      #expect(!error.message.isEmpty)
    }
  }

  // MARK: - Schema

  @Test func `every property has a title and a description for editors`() throws {
    let schema = try JSONValue(parsing: Data(contentsOf: Self.schema))
    #expect(Self.undescribed(schema, at: "#") == [])
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs jsonschema."))
  func `the schema and the reader accept the same documents`() async throws {
    var documents: [(String, accepted: Bool)] = [(Self.good, true)]
    for (old, new) in [
      ("\"Chairs\"", "1"), ("\"id\":", "\"ix\":"), ("[\"a\", \"b\",]", "[\"a\", 2]"),
      ("[\"a\", \"b\",]", "[]"), ("\"iterations\": 3", "\"iterations\": 0"),
      ("\"iterations\": 3", "\"iterations\": 1.5"), ("\"iterations\": 3", "\"iterations\": 2.0"),
      ("\"iterations\": 3", "\"iterations\": 1000001"),
      ("\"type\": \"url\"", "\"type\": \"album\""), ("\"https:", "\"ftp:"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"/etc/passwd\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"images/../../x.jpg\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"..\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"a..b/..c/d..\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"a\\u0000b\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"a\\nb\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"a\\n/../b\"}"),
      ("\"path\": \"images/02.jpg\"}", "\"path\": \"\"}"),
      ("\"version\":", "\"extra\": 1, \"version\":"),
      ("{\"classification\": {\"rocking chair\": \"\"}}", "[]"),
      ("{\"classification\": {\"rocking chair\": \"\"}}", "{}"),
      ("\"metric\":", "\"metrik\":"), ("\"inference_results\":", "\"results\":"),
    ] {
      let text = Self.good.replacing(old, with: new)
      #expect(text != Self.good)
      documents.append((text, (try? read(text)) != nil))
    }
    let folder = try DatasetFolder()
    let paths = try documents.enumerated().map { try folder.write($1.0, to: "\($0).json") }
    let output = try await Python.run(
      ["Tools/peers/validate_schema.py", "Schemas/test.schema.json"] + paths)
    let verdicts = try JSONDecoder().decode([Verdict].self, from: Data(output.utf8))
    try #require(verdicts.count == documents.count)
    for (verdict, document) in zip(verdicts, documents) {
      #expect(
        verdict.errors.isEmpty == document.accepted,
        "\(verdict.errors.map(\.message)) \(document.0)")
    }
    #expect(documents.contains { !$0.accepted } && documents.count { $0.accepted } > 3)
  }

  private static let schema = Python.root.appending(path: "Schemas/test.schema.json")

  private struct Verdict: Decodable {
    struct Fault: Decodable { let path: String, message: String }
    let errors: [Fault]
  }

  private static func undescribed(_ node: JSONValue, at path: String) -> [String] {
    guard case .object(let members) = node else { return [] }
    return members.flatMap { key, member -> [String] in
      var found = undescribed(member, at: "\(path)/\(key)")
      if key == "properties", case .object(let properties) = member {
        for (name, property) in properties {
          guard case .object(let members) = property, members["title"] != nil,
            members["description"] != nil
          else {
            found.append("\(path)/\(name)")
            continue
          }
        }
      }
      return found
    }
  }
}
