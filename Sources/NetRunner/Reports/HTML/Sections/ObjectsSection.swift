// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import Drawings
import TensorIO
import TensorIODecoding

/// The objects that a model found and those of the dataset, drawn on their images.
struct ObjectsSection {
  var rows: [ResultRow]
  var images: ReportImages?
  var galleryLength: Int
  /// Pairs of indices of keypoints that are connected by lines.
  var skeleton: [[Int]] = []
  /// The identifier of the model's section, which tells its switch from those of other models.
  var anchor = "model"

  var html: Markup {
    let found = rows.filter { !Self.objects(in: $0).isEmpty || $0.hasTrueObjects }
    guard let images, !found.isEmpty else { return .empty }
    let shown = found.prefix(galleryLength)
    let isCompared = shown.contains(where: \.hasTrueObjects)
    var about: Markup =
      isCompared
      ? "\(counted(found.count, "image")) with objects"
      : "The model found objects in \(counted(found.count, "image"))"
    if found.count > shown.count { about += "; the first \(shown.count) are shown" }
    let items = shown.map { figure($0, images) }
    return """
      <h3>Objects</h3><p class="muted">\(about).</p>
      \(isCompared ? controls : .empty)<ul class="gallery">\(items)</ul>

      """
  }

  /// The decoded objects among a row's outputs.
  static func objects(in row: ResultRow) -> [Detection] {
    let results = row.evaluation?.inferenceResults ?? [:]
    for (_, value) in results.sorted(by: { $0.key < $1.key }) {
      guard case .array(let elements) = value else { continue }
      let objects = elements.compactMap(Detection.init(json:))
      if !objects.isEmpty { return objects }
    }
    return []
  }

  /// The switch between the truth and the prediction, and the meaning of the lines.
  private var controls: Markup {
    let choices = [("both", "Both"), ("truth", "Truth"), ("predicted", "Prediction")]
    let inputs = choices.enumerated().map { index, choice -> Markup in
      """
      <label><input type="radio" name="shows-\(anchor)" value="\(choice.0)"\
      \(index == 0 ? " checked" : .empty)> \(choice.1)</label>

      """
    }
    let meanings = [
      ("truth matched", "found"), ("truth missed", "missed"), ("predicted matched", "right"),
      ("predicted false", "false"), ("predicted confused", "wrong class"),
    ]
    let keys = meanings.map { kind, text -> Markup in
      """
      <span><svg class="objects line" viewBox="0 0 26 10" aria-hidden="true"><g class="\(kind)">\
      <path class="casing" d="M1 5h24"/><path class="stroke" d="M1 5h24"/></g></svg> \(text)</span>

      """
    }
    return """
      <fieldset class="shows"><legend>Show</legend>\(inputs)</fieldset>
      <p class="keys">Truth, dashed: \(Array(keys.prefix(2))) Prediction, solid: \
      \(Array(keys.dropFirst(2)))</p>

      """
  }

  private func figure(_ row: ResultRow, _ images: ReportImages) -> Markup {
    """
    <li><figure>\(frame(row, images))<figcaption><span>\(caption(of: row))</span>\
    <small>\(Markup.name(row.image))</small></figcaption></figure></li>

    """
  }

  private func caption(of row: ResultRow) -> Markup {
    if let comparison = row.comparison, let found = comparison.found {
      var parts = ["\(found) found"]
      for (count, word) in [
        (comparison.missed, "missed"), (comparison.extra, "false"),
        (comparison.confused, "with a wrong class"),
      ] {
        if let count, count > 0 { parts.append("\(count) \(word)") }
      }
      return "\(parts.joined(separator: ", "))"
    }
    let truth: Markup = row.truth.map { ", labelled \($0)" } ?? .empty
    return "\(counted(Self.objects(in: row).count, "object"))\(truth)"
  }

  private func frame(_ row: ResultRow, _ images: ReportImages) -> Markup {
    do {
      let image = try images.image(of: row.image)
      let pairs = skeleton.filter { $0.count == 2 }.map { ($0[0], $0[1]) }
      let unit = Double(max(image.width, image.height)) / 160
      let drawn: [Markup] =
        if let shapes = row.comparison?.shapes, row.hasTrueObjects {
          ComparedDrawing(shapes: shapes, unit: unit, skeleton: pairs).groups
        } else {
          ObjectShapes(unit: unit, skeleton: pairs).shapes(of: Self.objects(in: row))
        }
      return """
        <div class="frame"><svg class="objects" role="img" viewBox="0 0 \(image.width) \(image.height)" \
        font-size="\(10 * unit)">\
        <title>\(row.image)</title><image width="\(image.width)" height="\(image.height)" \
        href="\(try Thumbnail(image).address)"/>\(drawn)</svg></div>
        """
    } catch {
      return "<div class=\"frame none\">the image is no longer available</div>"
    }
  }
}

extension ResultRow {
  /// Whether the row has objects of the dataset to draw.
  fileprivate var hasTrueObjects: Bool { comparison?.shapes?.truth.isEmpty == false }
}
