// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO
import TensorIODecoding

/// The SVG shapes of a dataset's objects, which are dashed, and of a model's, which are solid.
///
/// Each shape has a class for what became of the object, which decides its colour.
struct ComparedDrawing {
  var shapes: ComparedShapes
  /// The length in pixels of the image that is about one pixel of the drawing.
  var unit: Double
  /// Pairs of indices of keypoints that are connected by lines.
  var skeleton: [(Int, Int)] = []

  /// A group with the truth, and one with the prediction.
  var groups: [Markup] {
    let truth = shapes.truth.map { shape($0, isTruth: true) }
    let predicted = shapes.predicted.reversed().map { shape($0, isTruth: false) }
    return [
      "<g class=\"predicted\">\(predicted)</g>\n", "<g class=\"truth\">\(truth)</g>\n",
    ]
  }

  private func shape(_ object: ComparedObject, isTruth: Bool) -> Markup {
    let box = object.box
    let (x, y) = (box.x + box.width / 2, box.y + box.height / 2)
    let turn = (object.angle ?? 0) * 180 / .pi
    // The truth's label is below the upper edge of its box, and the prediction's above, so that both
    // can be read.
    let above = box.y > 12 * unit ? box.y - 3 * unit : box.y + 10 * unit
    let baseline = isTruth ? min(box.y + box.height - 3 * unit, y + box.height / 2) : above
    let score = object.score.map { " \(DecimalText($0, digits: 2))" } ?? ""
    let outline = ["casing", "stroke"].map { kind -> Markup in
      """
      <rect class="\(kind)" x="\(box.x)" y="\(box.y)" width="\(box.width)" height="\(box.height)" \
      stroke-width="\((kind == "casing" ? 3.4 : 1.8) * unit)"/>
      """
    }
    return """
      <g class="\(isTruth ? "truth" : "predicted") \(object.state.rawValue)" \
      stroke-dasharray="\(isTruth ? "\(5 * unit) \(3 * unit)" : "none")">\
      <title>\(object.label)\(score): \(object.state.words)</title>\(mask(of: object))\
      \(edges(of: object))<g transform="rotate(\(turn) \(x) \(y))">\(outline)\
      <text x="\(box.x + 2 * unit)" y="\(baseline)" stroke-width="\(2.4 * unit)">\
      \(object.label)\(score)</text></g>\(points(of: object))</g>

      """
  }

  private func mask(of object: ComparedObject) -> Markup {
    guard let mask = object.mask else { return .empty }
    var path = ""
    mask.forEachRun { row, columns in
      path += "M\(columns.lowerBound) \(row)h\(columns.count)v1h-\(columns.count)z"
    }
    return "<path class=\"mask\" d=\"\(path)\"/>"
  }

  /// The outline of an object of the dataset.
  private func edges(of object: ComparedObject) -> Markup {
    var path = ""
    for polygon in object.outline ?? [] {
      for index in stride(from: 0, to: polygon.count - 1, by: 2) {
        path += "\(index == 0 ? "M" : "L")\(polygon[index]) \(polygon[index + 1])"
      }
      path += "z"
    }
    guard !path.isEmpty else { return .empty }
    return "<path class=\"stroke\" d=\"\(path)\" stroke-width=\"\(1.8 * unit)\"/>"
  }

  private func points(of object: ComparedObject) -> Markup {
    let points = object.keypoints ?? []
    let lines = skeleton.compactMap { first, second -> Markup? in
      guard points.indices.contains(first), points.indices.contains(second),
        let start = points[first], let end = points[second]
      else { return nil }
      return """
        <path class="stroke" d="M\(start.x) \(start.y)L\(end.x) \(end.y)" \
        stroke-width="\(1.4 * unit)"/>
        """
    }
    let dots = points.compactMap(\.self).map { point -> Markup in
      """
      <circle class="dot" cx="\(point.x)" cy="\(point.y)" r="\(2 * unit)" \
      stroke-width="\(unit)"><title>\(point.name)</title></circle>
      """
    }
    return "\(lines)\(dots)"
  }
}

extension ComparedObject.State {
  /// The state in words for people.
  fileprivate var words: String {
    switch self {
    case .matched: "found"
    case .confused: "wrong class"
    case .missed: "missed"
    case .extra: "false"
    case .ignored: "doesn't count"
    case .unknown: "no truth"
    }
  }
}
