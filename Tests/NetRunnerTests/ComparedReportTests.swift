// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation
import TensorIO
import Testing

@testable import NetRunner

@Suite struct ComparedReportTests {
  private static func object(
    _ label: String, _ state: ComparedObject.State, score: Double? = nil
  ) -> ComparedObject {
    ComparedObject(
      label: label, score: score, box: Box(x: 10, y: 20, width: 30, height: 40),
      keypoints: [.init(name: "eye", x: 12, y: 22), nil, .init(name: "ear", x: 14, y: 24)],
      state: state)
  }

  private static func html(_ shapes: ComparedShapes?) -> String {
    var row = ResultRow(
      index: 0, type: "file", image: "a<b>.png", model: "m", testBundle: "d", error: false)
    row.comparison = TruthComparison(found: 1, confused: 0, missed: 2, extra: 1, shapes: shapes)
    let images = ReportImages { _ in
      PixelBuffer(width: 100, height: 100, format: .rgb) { _ in }
    }
    return ObjectsSection(
      rows: [row], images: images, galleryLength: 6, skeleton: [[0, 2], [0, 1], [7, 8]],
      anchor: "model-2"
    ).html.text
  }

  @Test func `the truth and the prediction are drawn with a switch between them`() {
    let html = Self.html(
      ComparedShapes(
        width: 100, height: 100, truth: [Self.object("<cat>", .missed)],
        predicted: [Self.object("dog", .extra, score: 0.75)]))
    #expect(html.contains(#"<input type="radio" name="shows-model-2" value="both" checked>"#))
    #expect(html.contains(#"name="shows-model-2" value="truth""#))
    #expect(html.contains(#"<g class="truth missed" stroke-dasharray=""#))
    #expect(html.contains(#"<g class="predicted false" stroke-dasharray="none">"#))
    #expect(html.contains("&lt;cat&gt;") && !html.contains("<cat>"))
    #expect(html.contains("dog 0.75") && html.contains("<title>&lt;cat&gt;: missed</title>"))
    #expect(html.contains("1 found, 2 missed, 1 false"))
    // Only the pair of points that are both there is connected.
    #expect(
      html.components(separatedBy: "M12.0 22.0L14.0 24.0").count
        + html.components(separatedBy: "M12 22L14 24").count == 4)
    #expect(!html.contains("style="))
  }

  @Test func `the outline of an object is drawn`() {
    var object = Self.object("cat", .matched)
    #expect(
      !Self.html(ComparedShapes(width: 9, height: 9, truth: [object], predicted: [])).contains(
        "z\""))
    object.outline = [[1, 2, 3, 4, 5, 6.5], [7, 7, 8, 7, 8, 8]]
    let html = Self.html(ComparedShapes(width: 9, height: 9, truth: [object], predicted: []))
    #expect(
      html.contains(#"<path class="stroke" d="M1.0 2.0L3.0 4.0L5.0 6.5zM7.0 7.0L8.0 7.0L8.0 8.0z""#)
    )
  }

  @Test func `without a truth there is no switch`() {
    #expect(Self.html(nil).isEmpty)
  }
}
