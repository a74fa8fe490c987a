// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TestSupport
import Testing

@testable import NetRunner

@Suite struct ReportJSONTests {
  @Test func `a report that was read is written with the same bytes`() throws {
    let text = try ReportFixture(models: ["mobile", "large"]).make().json()
    let again = try EvaluationReport(json: text).json()
    #expect(again == text)
    #expect(text.hasPrefix("{\n\"created\": \"2025-06-01T08:30:00Z\",\n"))
    #expect(text.split(separator: "\n").count { $0.contains("\"image\"") } == 1000)
  }

  @Test func `an input without an image has the preprocessing and hash of older reports`() throws {
    let folder = try DatasetFolder(["x.tiobundle/m.tflite": ""])
    try folder.write(
      """
      {"name": "n", "details": "d", "id": "i", "version": "1", "author": "a", "license": "l",
       "model": {"file": "m.tflite", "quantized": false},
       "inputs": [{"name": "x", "type": "array", "shape": [1]}],
       "outputs": [{"name": "y", "type": "array", "shape": [1]}]}
      """, to: "x.tiobundle/model.json")
    let bundle = try ModelBundle(folder.path + "/x.tiobundle")
    let record = try ModelRecord(bundle, ImageDecoder())
    #expect(record.preprocessing == "x: not a picture")
    #expect(
      record.preprocessingSHA256
        == "b9c3f29d95792da332515d3a69f5b4fae901ffd360617428e067ae6e7ebc0a87")
  }

  @Test func `numbers that aren't finite are read back`() throws {
    var report = ReportFixture(images: 20, failures: []).make()
    report.results[0].score = .nan
    report.results[1].score = -.infinity
    report.results[2].evaluation?.inferenceResults = ["x": .number(.nan)]
    report.models[0].metrics["classification"]?.values[3].value = .infinity
    let text = try report.json()
    let again = try EvaluationReport(json: text)
    #expect(again.results[0].score?.isNaN == true)
    #expect(again.results[1].score == -.infinity)
    #expect(again.models[0].metrics["classification"]?.values[3].value == .infinity)
    #expect(try again.json() == text)
  }

  @Test func `outputs of every kind are read back unchanged`() throws {
    var report = ReportFixture(images: 2, failures: []).make()
    let outputs: [String: JSONValue] = [
      "labels": .object(["cat": .number(0.25), "dog": .number(1)]),
      "numbers": .array([.number(-0.5), .number(3), .number(1e300)]),
      "rows": .array([.array([.number(1)]), .array([])]),
      "mixed": .object(["a": .null, "b": .bool(true), "c": .string("1"), "d": .array([.null])]),
      "large": .array([.integer(9_007_199_254_740_993), .integer(.max)]),
      "text": .string("NaN"), "empty": .object([:]), "one": .number(0.1),
    ]
    report.results[0].evaluation?.inferenceResults = outputs
    let text = try report.json()
    let again = try EvaluationReport(json: text)
    #expect(again.results[0].evaluation?.inferenceResults == outputs)
    #expect(try again.json() == text)
  }

  @Test func `a newer version is rejected`() throws {
    let text = try ReportFixture(images: 20).make().json()
    let newer = text.replacing("\"schema_version\": 1", with: "\"schema_version\": 2")
    let error = #expect(throws: TensorIOError.self) { try EvaluationReport(json: newer) }
    #expect(
      error?.message
        == "The report has 'schema_version' 2, but this program reads versions up to 1. "
        + "A newer tensorio wrote it; read it with that version.")
  }

  @Test(arguments: [
    (
      "\"cores\":2", "\"cores\":\"2\"",
      "'environment.cores' must be a whole number, found a string."
    ),
    ("\"cores\":2,", "", "'environment.cores' is missing."),
    ("\"index\":3,", "\"index\":null,", "'results[3].index' must be a whole number, found null."),
    ("\"index\":3,", "\"index\":-3,", "'results[3].index' must be 0 or more, found -3."),
    ("\"index\":3,", "\"index\":2,", "'models[0]': an index occurs twice among the results"),
    ("\"layout\":\"testbundle\"", "\"layout\":\"zip\"", "'dataset.layout' cannot be read"),
    ("\"results\": [", "\"results\": [[],", "'results[0]' must be an object, found an array."),
    (
      "\"failed\":[0,", "\"failed\":[", "'models[0].metrics.classification.confusion' has 10 labels"
    ),
    (
      "\"failed\":[0,", "\"failed\":[-5,",
      ".classification.confusion.failed[0]' must lie between 0 and 2^40, found -5."
    ),
    ("\"failed\":0,\"labelled\"", "\"failed\":7,\"labelled\"", "'models[0].failed' says 7"),
    ("\"settings\": {", "\"settings\" {", "line 32, column 12: found '{', but ':' was expected"),
    (
      "\"tensorio.evaluation\"", "\"else\"",
      "is not a report of 'tensorio evaluate --report FILE.json': its 'schema' must be"
    ),
  ])
  func `errors name the path of the value`(_ old: String, _ new: String, _ message: String) throws {
    let text = try ReportFixture(images: 20, failures: []).make().json()
    #expect(text.contains(old))
    let wrong = text.replacing(old, with: new, maxReplacements: 1)
    let error = #expect(throws: TensorIOError.self) { try EvaluationReport(json: wrong) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["", "[]", "1", "{", "{}", "\u{0}"])
  func `other texts are rejected`(_ text: String) {
    #expect(throws: TensorIOError.self) { try EvaluationReport(json: text) }
  }

  @Test func `endless brackets are rejected`() {
    #expect(throws: TensorIOError.self) {
      try EvaluationReport(json: String(repeating: "[", count: 100_000))
    }
  }

  @Test func `a report cut at any byte is rejected`() throws {
    let text = try ReportFixture(images: 12, failures: [3]).make().json()
    for length in stride(from: 1, to: text.utf8.count - 2, by: 97) {
      let cut = String(decoding: text.utf8.prefix(length), as: UTF8.self)
      #expect(throws: TensorIOError.self) { try EvaluationReport(json: cut) }
    }
  }

  @Test func `a written file can be read again and replaces an older one`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try ReportFile(path).write("old")
    let report = ReportFixture(images: 20).make()
    try report.write(to: path)
    #expect(try EvaluationReport(contentsOf: path).json() == report.json())
    let error = #expect(throws: TensorIOError.self) { try report.write(to: path + "/x.json") }
    #expect(error?.code == .fileNotFound)
  }

  @Test func `without times, the reports of two runs are identical`() throws {
    let report = ReportFixture(images: 50).make()
    var other = report
    other.created = "2026-01-01T00:00:00Z"
    other.environment.cpu = "another"
    other.settings.threads = 8
    other.dataset.path = "elsewhere/photos.testbundle"
    other.models[0].seconds *= 2
    other.models[0].peakMemory += 1
    other.models[0].latency.total = LatencyStatistics(
      Array(repeating: 3, count: report.models[0].latency.total.count))
    other.summary[0].latency = 3
    other.results[0].evaluation?.inferenceLatency = 99
    #expect(try other.json() != report.json())
    #expect(try other.withoutTimes().json() == report.withoutTimes().json())
    other.results[0].predicted = "emu"
    #expect(try other.withoutTimes().json() != report.withoutTimes().json())
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs jsonschema."))
  func `written reports conform to the schema`() async throws {
    var odd = ReportFixture(images: 30, part: PartRecord(index: 1, count: 2)).make()
    odd.results[0].score = .nan
    odd.dataset.id = nil
    odd.settings.limit = 5
    odd.settings.labelMap = ["puss": "cat"]
    let reports = [
      ReportFixture(models: ["mobile", "large"]).make(), odd, odd.withoutTimes(),
      ReportFixture(images: 3, failures: [0, 1, 2]).make(),
    ]
    let validation = ["Tools/peers/validate_schema.py", "Schemas/evaluation.schema.json"]
    let good = try await ReportPeer.run(validation, on: reports.map { try $0.json() })
    #expect(good.count(of: "\"errors\": []") == reports.count, "\(good.prefix(3000))")

    let bad = try reports[0].json().replacing("\"iterations\":1", with: "\"iterations\":-1")
    let findings = try await ReportPeer.run(validation, on: [bad])
    #expect(findings.contains("$.settings.iterations"))
  }
}

extension String {
  /// How many times a text occurs.
  fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
