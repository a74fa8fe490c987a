// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NetRunner
import Testing

/// `tensorio evaluate`, `merge` and `compare`.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct EvaluateTests {
  private let digits = ["evaluate", "Demo/digits.testbundle", "--models", "Demo"]

  @Test func `a test bundle gives the contract's rows`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/three.testbundle"
    try FileManager.default.createDirectory(
      atPath: bundle + "/images", withIntermediateDirectories: true)
    for (name, digit) in [("01.png", "7-01"), ("03.png", "3-01")] {
      try FileManager.default.copyItem(
        atPath: CommandRunner.packageFolder.path + "/Demo/images/digit-\(digit).png",
        toPath: bundle + "/images/" + name)
    }
    try """
    {"name": "Three", "id": "three", "version": "1", "models": ["digits", "unknown-model",],
     "options": {"iterations": 2, "metric": "EvaluationMetricAccuracyTop5"},
     "images": [{"type": "file", "path": "images/01.png"}, {"type": "file", "path": "images/02.png"},
                {"type": "file", "path": "images/03.png"},],
     "labels": [
       {"path": "images/01.png", "inference_results": {"classification": {"seven": ""}}},
       {"path": "images/02.png", "inference_results": {"classification": {"one": ""}}},
       {"path": "images/03.png", "inference_results": {"classification": {"three": ""}}}]}
    """.write(toFile: bundle + "/test.json", atomically: true, encoding: .utf8)
    let result = try await CommandRunner.run(["evaluate", bundle, "--models", "Demo", "--json"])
    #expect(result.status == 0)
    #expect(result.error.contains("no model with the id 'unknown-model'"))
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let summary = try #require(document["summary"] as? [[String: Any]])
    #expect(summary.count == 1)
    #expect(
      Set(summary[0].keys) == ["latency", "classification_accuracy", "model", "test_bundle"])
    #expect(summary[0]["classification_accuracy"] as? Double == 2.0 / 3)
    #expect(summary[0]["test_bundle"] as? String == "three")
    let rows = try #require(document["results"] as? [[String: Any]])
    #expect(rows.map { $0["error"] as? Bool } == [false, true, false])
    #expect((rows[1]["error_description"] as? String)?.contains("02.png") == true)
    for key in ["type", "image", "model", "test_bundle", "error", "evaluation"] {
      #expect(rows.allSatisfy { $0[key] != nil }, "\(key)")
    }
    let evaluation = try #require(rows[0]["evaluation"] as? [String: Any])
    #expect(evaluation["preprocessor_latency"] is Double)
    #expect(evaluation["inference_latency"] is Double)
    let outputs = try #require(evaluation["inference_results"] as? [String: [String: Double]])
    #expect(outputs["classification"]?.count == 10)
  }

  @Test func `a gate that is not met ends with 1, and is a failure in JUnit's XML`() async throws {
    let folder = try TemporaryFolder()
    let met = try await CommandRunner.run(digits + ["--fail-under", "top1=0.9"])
    #expect(met.status == 0)
    #expect(met.error.contains("met: top1"))
    let failed = try await CommandRunner.run(
      digits + ["--fail-under", "failed<=-1", "--report", folder.path + "/junit.xml"])
    #expect(failed.status == 1)
    let xml = try String(contentsOfFile: folder.path + "/junit.xml", encoding: .utf8)
    #expect(xml.contains("<failure"))
    let unknown = try await CommandRunner.run(digits + ["--fail-under", "topp=0.9"])
    #expect(unknown.status == 64)
    #expect(unknown.error.contains("top1"))
  }

  @Test func `parts are merged, runs compared, reports written`() async throws {
    let folder = try TemporaryFolder()
    for part in 1...2 {
      let result = try await CommandRunner.run(
        digits + ["--part", "\(part)/2", "--report", "\(folder.path)/part\(part).json"])
      #expect(result.status == 0)
    }
    let parts = (1...2).map { "\(folder.path)/part\($0).json" }
    let names = ["json", "csv", "xml", "html"]
    let reports = names.flatMap { ["--report", "\(folder.path)/whole.\($0)"] }
    let merged = try await CommandRunner.run(["merge"] + parts + reports)
    #expect(merged.status == 0)
    #expect(merged.output.contains("20 pictures, 0 failed"))
    for name in names {
      let path = "\(folder.path)/whole.\(name)"
      #expect(try !String(contentsOfFile: path, encoding: .utf8).isEmpty)
    }
    let one = try await CommandRunner.run(["merge", parts[0]])
    #expect(one.status == 64)
    let compared = try await CommandRunner.run(["compare", folder.path + "/whole.json", "--json"])
    #expect(compared.status == 0)
    #expect(compared.output.contains("tensorio.comparison"))
    let text = try await CommandRunner.run(["compare", folder.path + "/whole.json"])
    #expect(text.output.contains("McNemar"))
  }

  @Test(arguments: [
    (["evaluate", "nowhere", "--models", "Demo"], 66 as Int32, "'nowhere'"),
    (["evaluate", "Demo/images"], 64, "--models"),
    (["evaluate", "Demo/images", "--models", "Demo/images"], 66, "no bundle"),
    (["evaluate", "Demo/images", "--models", "Demo", "--part", "3/2"], 64, "3/2"),
    (["evaluate", "Demo/images", "--models", "Demo", "--metric", "topp"], 64, "topp"),
    (["evaluate", "Demo/images", "--models", "Demo", "--report", "a.pdf"], 64, ".html"),
    (["compare", "README.md"], 65, "README.md"),
  ])
  func `wrong arguments are named`(
    arguments: [String], status: Int32, word: String
  ) async throws {
    let result = try await CommandRunner.run(arguments)
    #expect(result.status == status)
    #expect(result.error.contains(word), "\(result.error)")
  }

  @Test func `an interrupted evaluation meets no gate, and says so`() async throws {
    let folder = try TemporaryFolder()
    let report = folder.path + "/report.json"
    let result = try await CommandRunner.run(
      [
        "evaluate", "Demo/digits-training", "--model", "Demo/digits.tiobundle", "--iterations",
        "300",
        "--fail-under", "failed<=0", "--report", report,
      ], interruptedAfter: 2)
    #expect(result.status == 1)
    #expect(result.error.contains("NOT MET"))
    let text = try String(contentsOfFile: report, encoding: .utf8)
    #expect(text.contains("interrupted: of 350 pictures only"))
  }

  @Test func `a mistyped gate does not lose the work`() async throws {
    let folder = try TemporaryFolder()
    let report = folder.path + "/report.csv"
    let result = try await CommandRunner.run(
      digits + ["--fail-under", "topp=1", "--report", report])
    #expect(result.status == 64)
    #expect(
      try String(contentsOfFile: report, encoding: .utf8).split(separator: "\r\n").count == 41)
  }
}
