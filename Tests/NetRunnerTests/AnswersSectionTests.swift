// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO
import Testing

@testable import NetRunner

struct AnswersSectionTests {
  private func row(_ outputs: [String: JSONValue], predicted: String? = nil) -> ResultRow {
    var row = ResultRow(
      index: 0, type: "file", image: "a.png", model: "m", testBundle: "d", error: false)
    row.predicted = predicted
    row.evaluation = EvaluationRecord(
      decodeLatency: 0, preprocessorLatency: 0, inferenceLatency: 0, postprocessLatency: 0,
      inferenceResults: outputs)
    return row
  }

  private func text(_ rows: [ResultRow], images: ReportImages? = nil) -> String {
    AnswersSection(rows: rows, images: images, galleryLength: 6).html.text
  }

  private static func label(_ name: String, _ score: Double) -> JSONValue {
    .object(["index": .number(0), "label": .string(name), "score": .number(score)])
  }

  @Test func `each kind of answer is written for people`() {
    let answers: [(JSONValue, String)] = [
      (
        .object(["age": .object(["value": .number(24.25), "unit": .string("years")])]),
        "age 24.25 years"
      ),
      (.object(["rank": .object(["value": .number(3)])]), "rank 3"),
      (.array([Self.label("red", 0.91), Self.label("<b>", 0.5)]), "red 0.91; &lt;b&gt; 0.5"),
      (
        .object(["vector": .array([.number(1)]), "nearest": .array([Self.label("cat", 0.5)])]),
        "cat 0.5"
      ),
      (
        .object(["minimum": .number(0.25), "maximum": .number(3), "unit": .string("m")]),
        "from 0.25 to 3 m"
      ),
      (.array([.number(1), .number(2), .number(3)]), "y 1, 2, 3"),
      (.array((0..<9).map { .number(Double($0)) }), "y 0, 1, 2, 3, …"),
      (.number(0.5), "y 0.5"), (.string("hello"), "hello"),
    ]
    for (value, expected) in answers {
      let html = text([row(["y": value])])
      #expect(html.contains("<td class=\"long\">\(expected)</td>"), "\(html)")
    }
    var spoken = row(["y": .array([])], predicted: "yes")
    spoken.score = 0.75
    spoken.truth = "no"
    #expect(text([spoken]).contains("<td class=\"long\">yes 0.75</td><td>no</td>"))
  }

  @Test func `samples with pictures are shown with them`() {
    let picture = PixelBuffer(
      width: 4, height: 4, format: .rgb, bytes: [UInt8](repeating: 9, count: 48))
    let images = ReportImages { _ in picture }
    let html = text([row(["y": .number(1)])], images: images)
    #expect(html.contains("<img class=\"tiny\" alt=\"a.png\""))
    #expect(html.contains("<span>y 1</span>"))
    let numbers = ReportImages { _ in throw TensorIOError(.wrongKind, "Numbers have no picture.") }
    #expect(text([row(["y": .number(1)])], images: numbers).contains("<table>"))
  }

  @Test func `objects, judged classes and failures are left to other sections`() {
    let box: JSONValue = .object(["box": .object(["x": .number(1)]), "label": .string("cat")])
    #expect(text([row(["y": .array([box])])]).isEmpty)
    var judged = row(["y": .number(1)], predicted: "cat")
    judged.isCorrect = true
    #expect(text([judged]).isEmpty)
    var failed = row(["y": .number(1)])
    failed.error = true
    #expect(text([failed]).isEmpty)
    #expect(text([]).isEmpty)
  }
}
