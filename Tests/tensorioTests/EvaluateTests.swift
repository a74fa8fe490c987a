// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import NetRunner

/// `tensorio evaluate`, `merge` and `compare`.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct EvaluateTests {
  private let digits = ["evaluate", "Demo/digits.testbundle", "--models", "Demo"]

  @Test func `a test bundle's report has the documented summary and rows`() async throws {
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

  @Test func `a bundle in place of a folder of models is evaluated`() async throws {
    let result = try await CommandRunner.run([
      "evaluate", "Demo/digits.testbundle", "--models", "Demo/digits.tiobundle", "--json",
    ])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains(#""id":"digits""#))
    #expect(!result.output.contains(#""id":"digits-int8""#))
  }

  @Test func `a folder with COCO annotations is evaluated with their truth`() async throws {
    let folder = try TemporaryFolder()
    let images = folder.path + "/unpacked/digits/images"
    try FileManager.default.createDirectory(atPath: images, withIntermediateDirectories: true)
    for name in ["7-01", "3-01"] {
      try FileManager.default.copyItem(
        atPath: CommandRunner.packageFolder.path + "/Demo/images/digit-\(name).png",
        toPath: "\(images)/\(name).png")
    }
    let annotations = folder.path + "/unpacked/digits/annotations.json"
    try """
    {"images": [{"id": 1, "file_name": "7-01.png"}, {"id": 2, "file_name": "3-01.png"}],
     "annotations": [{"image_id": 1, "category_id": 7}, {"image_id": 2, "category_id": 3}],
     "categories": [{"id": 3, "name": "three"}, {"id": 7, "name": "seven"}]}
    """.write(toFile: annotations, atomically: true, encoding: .utf8)
    let command = ["--models", "Demo/digits.tiobundle"]
    let named = try await CommandRunner.run(["evaluate", annotations] + command)
    for path in ["unpacked", "unpacked/digits", "unpacked/digits/"] {
      let result = try await CommandRunner.run(["evaluate", "\(folder.path)/\(path)"] + command)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.error.contains("read with the annotations in 'annotations.json'"))
      #expect(result.output.contains("top1"), "\(result.output)")
      #expect(named.output.contains("top1"), "\(named.output)")
    }
    try FileManager.default.copyItem(
      atPath: annotations, toPath: folder.path + "/unpacked/digits/val.json")
    let several = try await CommandRunner.run(["evaluate", folder.path + "/unpacked"] + command)
    #expect(several.status != 0)
    #expect(
      several.error.contains("has 2 files of annotations: 'annotations.json', 'val.json'."),
      "\(several.error)")
  }

  @Test func `an unmet gate exits with 1 and is a failure in the JUnit report`() async throws {
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

  @Test func `parts are merged, reports are written and models are compared`() async throws {
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
    #expect(merged.output.contains("20 images, 0 failed"))
    // The merged result shows the metric that the parts were evaluated with.
    #expect(merged.output.contains("classification_accuracy"))
    #expect(!merged.output.contains("macro_f1"))
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
  func `wrong arguments are refused and named`(
    arguments: [String], status: Int32, word: String
  ) async throws {
    let result = try await CommandRunner.run(arguments)
    #expect(result.status == status)
    #expect(result.error.contains(word), "\(result.error)")
  }

  #if os(Linux)
  @Test func `a report in a folder that can't be written is an error before the evaluation`()
    async throws
  {
    let result = try await CommandRunner.run([
      "evaluate", "Demo/digits.testbundle", "--model", "Demo/digits.tiobundle", "--part", "1/2",
      "--report", "/proc/self/{part}.json",
    ])
    #expect(result.status == 65)
    #expect(result.output == "")
    #expect(
      result.error.hasPrefix("error: The folder '/proc/self' can't be written: "),
      "\(result.error)")
  }
  #endif

  @Test func `data that doesn't suit the model is refused with an explanation`() async throws {
    let folder = try TemporaryFolder()
    try "path,label\na.pdf,yes\nb.pdf,no\n".write(
      toFile: folder.path + "/files.csv", atomically: true, encoding: .utf8)
    try "x1,x2,label\n0.5,1,yes\n0.25,2,no\n".write(
      toFile: folder.path + "/numbers.csv", atomically: true, encoding: .utf8)
    let vectorModel = try TemporaryBundle("add", shape: [1, 8, 8, 3])
    let output = ["-o", folder.path + "/rows.csv"]
    for command in [["evaluate", "Demo/images"], ["bulk", "Demo/images"] + output] {
      let model = try await CommandRunner.run(command + ["--model", vectorModel.path])
      #expect(model.status == 65)
      #expect(
        model.error.contains("the dataset has images, for models that take a single one."),
        "\(model.error)")
      #expect(model.error.contains("'tensorio run'"))
    }
    let table = try await CommandRunner.run(
      ["evaluate", folder.path + "/files.csv", "--model", "Demo/digits.tiobundle"])
    #expect(table.status == 65)
    #expect(
      table.error.contains("lists 2 files such as 'a.pdf', which are not images or recordings."),
      "\(table.error)")
    let numbers = try await CommandRunner.run(
      ["evaluate", folder.path + "/numbers.csv", "--model", "Demo/digits.tiobundle"])
    #expect(numbers.status == 65)
    #expect(numbers.error.contains("failed: row 1:"), "\(numbers.error)")
  }

  @Test func `labels that are off by one get a note whose option fixes them`() async throws {
    let folder = try TemporaryFolder()
    let images = CommandRunner.packageFolder.path + "/Demo/images"
    let names = ["0-01", "1-01", "2-01", "3-01", "4-01"]
    let rows = names.enumerated().map { "\(images)/digit-\($1).png,\($0 + 1)" }
    try (["path,label"] + rows).joined(separator: "\n").write(
      toFile: folder.path + "/t.csv", atomically: true, encoding: .utf8)
    let arguments = [
      "evaluate", folder.path + "/t.csv", "--model", "Demo/digits.tiobundle", "--metric", "top1",
    ]
    let off = try await CommandRunner.run(arguments)
    #expect(off.status == 0)
    #expect(
      off.error.contains("with --label-offset -1, 5 of 5 images would be right instead of 0"),
      "\(off.error)")
    let right = try await CommandRunner.run(arguments + ["--label-offset", "-1"])
    #expect(right.status == 0, "\(right.error)")
    #expect(right.output.contains("top1    1.0000"), "\(right.output)")
    #expect(!right.error.contains("off by one"))
  }

  @Test func `a label map names the classes that labels mean`() async throws {
    let folder = try TemporaryFolder()
    let images = CommandRunner.packageFolder.path + "/Demo/images"
    try "\(images)/digit-0-01.png,nought\n\(images)/digit-1-01.png,one".write(
      toFile: folder.path + "/t.csv", atomically: true, encoding: .utf8)
    let arguments = [
      "evaluate", folder.path + "/t.csv", "--model", "Demo/digits.tiobundle", "--metric", "top1",
      "--label-map", folder.path + "/map.json",
    ]
    func map(_ text: String) throws {
      try text.write(toFile: folder.path + "/map.json", atomically: true, encoding: .utf8)
    }
    try map(#"{"nought": "zero"}"#)
    let right = try await CommandRunner.run(
      arguments + ["--report", folder.path + "/r.json", "--report", folder.path + "/r.html"])
    #expect(right.status == 0, "\(right.error)")
    #expect(right.output.contains("top1    1.0000"), "\(right.output)")
    let report = try String(contentsOfFile: folder.path + "/r.json", encoding: .utf8)
    #expect(report.replacing(" ", with: "").contains(#""label_map":{"nought":"zero"}"#))
    try map(#"{"nought": "zerro"}"#)
    let wrong = try await CommandRunner.run(arguments)
    #expect(wrong.status == 64)
    #expect(
      wrong.error.contains(
        "The label map has 'zerro' for 'nought', which isn't a class of 'Digits'; its "
          + "classes are 'zero', 'one', 'two', 'three', 'four' and 5 more."), "\(wrong.error)")
  }

  @Test func `only a test bundle's own metric is shown, and a note names its model`()
    async throws
  {
    let result = try await CommandRunner.run(digits)
    #expect(result.output.contains("classification_accuracy"))
    #expect(!result.output.contains("macro_f1"))
    // top5 has two names and is left out of the family, unless it is requested.
    let others = ClassificationMetric.Value.allCases.count - 2
    #expect(result.error.contains("note: \(others) more metrics are in --json and --report"))
    let all = try await CommandRunner.run(digits + ["--metric", "classification"])
    #expect(all.output.contains("macro_f1"))
    let lines = all.error.split(separator: "\n").filter { $0.contains("log_loss and ece") }
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("note: 'digits-int8': ") == true)
  }

  @Test func `an interrupted evaluation doesn't meet its gate and says so`() async throws {
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
    #expect(text.contains("interrupted: of 350 images only"))
  }

  @Test func `the report is written even if a gate's name is mistyped`() async throws {
    let folder = try TemporaryFolder()
    let report = folder.path + "/report.csv"
    let result = try await CommandRunner.run(
      digits + ["--fail-under", "topp=1", "--report", report])
    #expect(result.status == 64)
    #expect(
      try String(contentsOfFile: report, encoding: .utf8).split(separator: "\r\n").count == 41)
  }
}
