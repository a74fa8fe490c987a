// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// The words for the samples of datasets of images, of recordings and of values.
@Suite struct DatasetContentTests {
  private static let contents: [(files: [String: String], of: String, content: Dataset.Content)] = [
    (["a.jpg": "", "b.jpg": ""], "", .images),
    (["a.wav": "", "b.wav": ""], "", .recordings),
    (["t.csv": "age,city\n39,Bern\n40,Paris\n"], "t.csv", .values),
  ]

  @Test(arguments: 0..<3)
  func `notes on a selection name the samples`(_ index: Int) throws {
    let (files, path, content) = Self.contents[index]
    let folder = try DatasetFolder(files)
    let dataset = try path.isEmpty ? folder.dataset() : folder.dataset(path)
    #expect(dataset.content == content)
    let first = try dataset.limited(to: 1)
    #expect(first.notes.last == "the first 1 of 2 \(content.plural)")
    let chosen = try dataset.limited(to: 1, seed: 3)
    #expect(chosen.notes.last == "1 of 2 \(content.plural), chosen with the seed 3")
    let error = #expect(throws: TensorIOError.self) { try dataset.limited(to: -1) }
    #expect(error?.message == "A limit must be 0 \(content.plural) or more, got -1.")
  }

  @Test func `notes on folders and tables of recordings don't speak of images`() throws {
    let folder = try DatasetFolder(["a.wav": "", "b.wav": ""]).dataset()
    #expect(folder.notes == ["read as a folder of recordings without labels: 2 recordings"])
    let classes = try DatasetFolder(["yes/a.wav": "", "no/b.wav": "", "no/c.wav": ""]).dataset()
    #expect(classes.notes.first == "read as one folder per class: 2 classes, 3 recordings")
    let table = try DatasetFolder(["a.wav": "", "t.csv": "path,label\na.wav,yes\n"])
      .dataset("t.csv")
    #expect(table.notes.first?.contains(": 1 recording, ") == true, "\(table.notes)")
  }

  @Test func `a report without the field is about images`() throws {
    let report = ReportFixture(images: 40).make()
    #expect(report.dataset.samples == .images)
    #expect(try !report.json().contains("\"content\""))
    let page = try HTMLReport(report).text()
    #expect(page.contains("images per second") && page.contains("Images that failed"))
  }

  @Test(arguments: [Dataset.Content.recordings, .values])
  func `pages, comparisons and gates name the samples`(_ content: Dataset.Content) throws {
    var fixture = ReportFixture(images: 60, models: ["one", "two"])
    fixture.imageName = { index, label in "\(label)-\(index).wav" }
    fixture.failures = [17, 23]
    var report = fixture.make()
    report.dataset.content = content
    report.dataset.notes = []
    for index in report.results.indices where report.results[index].error {
      report.results[index].errorDescription = "is damaged"
    }
    report.models = report.models.map { result in
      var result = result
      for name in result.metrics.keys { result.metrics[name]?.notes = [] }
      return result
    }
    let read = try EvaluationReport(json: report.json())
    #expect(read.dataset.content == content)
    let page = try HTMLReport(read).text()
    #expect(page.contains("60 \(content.plural)"))
    #expect(page.contains("\(content.plural) per second"))
    #expect(page.contains("\(content.title)s that failed"))
    #expect(page.contains("\(content.title) by \(content.noun)"))
    let body = page.split(separator: "</style>").last ?? ""
    let words = body.replacing(/<[^>]*>/, with: " ")
    #expect(words.firstMatch(of: /.{30}\b[Ii]mages?\b.{30}/)?.output == nil)
    let comparison = try ReportComparison(read, "one", "two", seed: 1)
    #expect(comparison.text.contains("\(content.title)s") && !comparison.text.contains("mage"))
    #expect(try comparison.json().contains("\"content\":"))
    #expect(try !(comparison.html().split(separator: "</style>").last ?? "").contains("images"))
    #expect(read.junit(gates: []).contains("2 of 60 \(content.plural) failed."))
  }

  @Test(arguments: [
    (Dataset.Content.images, "1 of 2 images failed and count as wrong."),
    (.recordings, "1 of 2 recordings failed and count as wrong."),
    (.values, "1 of 2 samples failed and count as wrong."),
  ])
  func `notes of metrics name the samples`(_ content: Dataset.Content, _ note: String) throws {
    var context = MetricContext(labels: ["a", "b"])
    context.content = content
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: "top1", context: context))
    let classification = Classification(labels: Labels(["a", "b"]), values: [0.75, 0.25])
    try accumulator.add(.label("a"), Prediction(classification: classification), at: 0)
    try accumulator.add(.label("b"), nil, at: 1)
    #expect(try accumulator.report().notes.contains(note))
  }
}
