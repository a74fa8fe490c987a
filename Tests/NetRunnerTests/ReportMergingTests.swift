// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import NetRunner

@Suite struct ReportMergingTests {
  private static let classes = ReportFixture().classes

  static func parts(_ count: Int, images: Int = 100) -> [EvaluationReport] {
    (1...count).map { index in
      ReportFixture(
        images: images, models: ["mobile", "large"],
        part: PartRecord(index: index, count: count)
      ).make()
    }
  }

  static func merge(_ parts: [EvaluationReport]) throws -> EvaluationReport {
    var registry = MetricRegistry()
    registry.register("classification") { _ in Fixture() }
    return try EvaluationReport.merging(parts: parts, registry: registry)
  }

  private struct Fixture: Metric {
    let name = "classification"

    func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) -> JSONValue? { nil }

    func reduce(_ items: [JSONValue]) -> MetricReport {
      FixtureMetric.report(classes: ReportMergingTests.classes, items: items)
    }
  }

  @Test(arguments: [1, 2, 3, 7])
  func `merged parts give exactly the report of the whole`(_ count: Int) throws {
    let whole = ReportFixture(images: 100, models: ["mobile", "large"]).make()
    let parts = try Self.parts(count).reversed().map { part in
      try EvaluationReport(json: part.json())
    }
    let merged = try Self.merge(parts)
    #expect(try merged.withoutTimes().json() == whole.withoutTimes().json())
    #expect(merged.models.map(\.latency) == whole.models.map(\.latency))
    #expect(merged.summary == whole.summary)
  }

  @Test func `the first rows of each model keep their pictures`() throws {
    let parts = Self.parts(3).map { part in
      var part = part
      for model in part.models.map(\.model.id) {
        let rows = part.results.indices.filter { part.results[$0].model == model }
        for index in rows.prefix(ResultPicture.count) {
          part.results[index].picture = ResultPicture(output: "depth", address: "data:image/png,")
        }
      }
      return part
    }
    let merged = try Self.merge(parts)
    for model in merged.models {
      let rows = merged.results.filter { $0.model == model.model.id }
      #expect(rows.map { $0.picture != nil } == (0..<100).map { $0 < 24 })
    }
  }

  @Test func `rows that are sorted by image stay so`() throws {
    func byImage(_ report: EvaluationReport) -> EvaluationReport {
      var report = report
      report.results.sort { ($0.index, $1.model) < ($1.index, $0.model) }
      return report
    }
    let whole = byImage(ReportFixture(images: 100, models: ["mobile", "large"]).make())
    let merged = try Self.merge(Self.parts(3).map(byImage))
    #expect(try merged.withoutTimes().json() == whole.withoutTimes().json())
  }

  @Test func `several machines are named, and their times are added`() throws {
    var parts = Self.parts(2)
    parts[1].environment.cpu = "Another CPU"
    parts[1].environment.cores = 16
    parts[1].created = "2025-05-30T00:00:00Z"
    parts[1].dataset.path = "elsewhere"
    let merged = try Self.merge(parts)
    #expect(merged.environment.cpu == "Some CPU @ 2.50GHz / Another CPU")
    #expect(merged.environment.cores == 16)
    #expect(merged.created == "2025-05-30T00:00:00Z")
    #expect(merged.dataset.path == "photos.testbundle")
    let seconds = parts.reduce(0) { $0 + $1.models[0].seconds }
    #expect(merged.models[0].seconds == seconds)
    #expect(merged.models[0].throughput == 100 / seconds)
  }

  private func message(_ change: (inout [EvaluationReport]) -> Void) -> String {
    var parts = Self.parts(3)
    change(&parts)
    return #expect(throws: TensorIOError.self) { try Self.merge(parts) }?.message ?? ""
  }

  @Test func `parts that don't belong together are rejected`() {
    #expect(message { $0 = [] } == "There are no parts to merge.")
    #expect(
      message { $0[1].part = nil }
        == "Report 2 of 3 isn't a part: it covers all images. To make parts, run 'tensorio "
        + "evaluate --part 1/3'.")
    #expect(
      message { $0.remove(at: 1) }
        == "2 of 3 parts were given. Missing: 2. 'tensorio evaluate --part 2/3' makes part 2.")
    #expect(message { $0.append($0[0]) } == "Part 1 of 3 was given twice; give each part once.")
    #expect(
      message { parts in for index in parts.indices { parts[index].part?.count = .max } }
        == "3 of 9223372036854775807 parts were given. Missing: 4, 5, 6, 7, 8 and more. 'tensorio "
        + "evaluate --part 4/9223372036854775807' makes part 4.")
    #expect(
      message { $0[2].part?.count = 4 }
        == "Part 3 is one of 4, but part 1 is one of 3: they aren't parts of the same evaluation.")
    #expect(
      message { $0[1].settings.seed = 7 }
        == "Part 2 doesn't belong to part 1: 'seed' in its settings is 7, but in part 1 it is 42. "
        + "Evaluate all parts with the same models and options.")
    #expect(
      message { $0[2].dataset.sha256 = "0" }.hasPrefix(
        "Part 3 doesn't belong to part 1: 'sha256' in its dataset is \"0\", but in part 1 it "
          + "is \""))
    #expect(
      message { $0[1].environment.libraries["LiteRT"] = "2.2.0" }.contains(
        "'LiteRT' in its environment.libraries is \"2.2.0\", but in part 1 it is \"2.3.0\"."))
    #expect(
      message { $0[1].settings.limit = 9 }.contains(
        "'limit' in its settings is 9, but in part 1 it is missing."))
    #expect(
      message { $0[1].models[1].model.sha256 = "1" }.contains(
        "'sha256' in its model 'large' is \"1\""))
    #expect(
      message { $0[1].models[1].model.bundleSHA256 = "1" }.contains(
        "'bundle_sha256' in its model 'large' is \"1\", but in part 1 it is missing."))
    #expect(
      message { $0[1].models[1].labels = ["dog", "cat"] }
        == "Part 2 doesn't belong to part 1: its labels of 'large' are others, or in another order. "
        + "Evaluate all parts with the same models and options.")
    #expect(
      message { $0[1].models.removeLast() }
        == "Part 2 covers the models mobile, but part 1 covers mobile, large.")
  }

  @Test func `errors name the files of the parts`() {
    func message(_ change: (inout [EvaluationReport]) -> Void) -> String {
      var parts = Self.parts(3)
      change(&parts)
      let names = parts.indices.map { "\($0).json" }
      return #expect(throws: TensorIOError.self) {
        try EvaluationReport.merging(parts: parts, names: names)
      }?.message ?? ""
    }
    #expect(
      message { $0.append($0[0]) }
        == "Part 1 of 3 was given twice, as '0.json' and '3.json'; give each part once.")
    #expect(message { $0[1].part = nil }.hasPrefix("'1.json' isn't a part: "))
    #expect(
      message { $0[1].results[0].index = 3 }
        == "The image 'images/dog-1.jpg' (index 3) of 'mobile' is in part 1 ('0.json') and in part 2 "
        + "('1.json').")
    #expect(
      message { $0[1].results[1].index = $0[1].results[0].index }
        .hasSuffix("of 'mobile' is in part 2 ('1.json') twice."))
    #expect(
      message { $0[2].settings.seed = 7 }.hasPrefix(
        "Part 3 ('2.json') doesn't belong to part 1: 'seed' in its settings is 7"))
  }

  @Test func `missing and duplicate images are rejected`() {
    #expect(
      message { $0[1].results.remove(at: 0) }
        == "The parts have 99 of 100 images for 'mobile': the one with the index 1 is missing.")
    #expect(
      message { $0[1].results[0].index = 3 }
        == "The image 'images/dog-1.jpg' (index 3) of 'mobile' is in part 1 and in part 2.")
    #expect(
      message { $0[1].results[0].index = 100 }
        == "Part 2 has the index 100 for 'mobile', but the dataset has 100 images.")
    #expect(
      message { $0[2].models[0].items = nil }.hasPrefix(
        "Part 3 has no data of 'classification' for each image of 'mobile': 'items' is"))
    #expect(
      message { $0[0].models[0].items = ["classification": []] }.contains(
        "has 0 items of 'classification' for 'mobile', but 34 images; one item for each image was "
          + "expected."))
  }
}
