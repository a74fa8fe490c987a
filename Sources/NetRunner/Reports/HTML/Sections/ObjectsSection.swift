// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

/// The objects that a model found, drawn on their images.
struct ObjectsSection {
  var rows: [ResultRow]
  var images: ReportImages?
  var galleryLength: Int

  var html: Markup {
    let found = rows.filter { !Self.objects(in: $0).isEmpty }
    guard let images, !found.isEmpty else { return .empty }
    let shown = found.prefix(galleryLength)
    var about: Markup = "The model found objects in \(counted(found.count, "image"))"
    if found.count > shown.count { about += "; the first \(shown.count) are shown" }
    let items = shown.map { figure($0, images) }
    return """
      <h3>Objects</h3><p class="muted">\(about).</p>
      <ul class="gallery">\(items)</ul>

      """
  }

  /// The decoded objects among a row's outputs.
  static func objects(in row: ResultRow) -> [[String: JSONValue]] {
    let results = row.evaluation?.inferenceResults ?? [:]
    for (_, value) in results.sorted(by: { $0.key < $1.key }) {
      guard case .array(let elements) = value else { continue }
      let objects = elements.compactMap { element -> [String: JSONValue]? in
        guard case .object(let object) = element, case .object? = object["box"] else { return nil }
        return object
      }
      if !objects.isEmpty { return objects }
    }
    return []
  }

  private func figure(_ row: ResultRow, _ images: ReportImages) -> Markup {
    let objects = Self.objects(in: row)
    return """
      <li><figure>\(frame(row, objects, images))<figcaption>\
      <span>\(counted(objects.count, "object"))\(truth(of: row))</span>\
      <small>\(Markup.name(row.image))</small></figcaption></figure></li>

      """
  }

  private func truth(of row: ResultRow) -> Markup {
    row.truth.map { text -> Markup in ", labelled \(text)" } ?? .empty
  }

  private func frame(
    _ row: ResultRow, _ objects: [[String: JSONValue]], _ images: ReportImages
  ) -> Markup {
    do {
      let image = try images.image(of: row.image)
      let unit = Double(max(image.width, image.height)) / 240
      let drawn = objects.map { Self.drawing($0, unit) }
      return """
        <div class="frame"><svg role="img" viewBox="0 0 \(image.width) \(image.height)">\
        <title>\(row.image)</title><image width="\(image.width)" height="\(image.height)" \
        href="\(try Thumbnail(image).address)"/>\(drawn)</svg></div>
        """
    } catch {
      return "<div class=\"frame none\">the image is no longer available</div>"
    }
  }

  private static func drawing(_ object: [String: JSONValue], _ unit: Double) -> Markup {
    guard case .object(let box)? = object["box"] else { return .empty }
    let (x, y) = (box.number("x"), box.number("y"))
    let (width, height) = (box.number("width"), box.number("height"))
    let turn = object.number("angle") * 180 / .pi
    var label = ""
    if case .string(let text)? = object["label"] { label = text }
    var dots: [Markup] = []
    if case .array(let points)? = object["keypoints"] {
      dots = points.map { point in
        guard case .object(let point) = point else { return .empty }
        return """
          <circle cx="\(point.number("x"))" cy="\(point.number("y"))" r="\(2 * unit)" \
          fill="#4fd08a"/>
          """
      }
    }
    let score = DecimalText(object.number("score"), digits: 2)
    return """
      <g transform="rotate(\(turn) \(x + width / 2) \(y + height / 2))"><rect x="\(x)" y="\(y)" \
      width="\(width)" height="\(height)" fill="none" stroke="#ffd24d" \
      stroke-width="\(1.5 * unit)"/><text x="\(x + 2 * unit)" \
      y="\(y > 12 * unit ? y - 3 * unit : y + 11 * unit)" font-size="\(10 * unit)" \
      fill="#ffd24d" stroke="#000000" stroke-width="\(2 * unit)" paint-order="stroke">\(label) \
      \(score)</text></g>\(dots)
      """
  }
}

extension [String: JSONValue] {
  /// The number under a key; 0 if it's missing or isn't finite.
  fileprivate func number(_ key: String) -> Double {
    switch self[key] {
    case .number(let number) where number.isFinite: number
    case .integer(let integer): Double(integer)
    default: 0
    }
  }
}
