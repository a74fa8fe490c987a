// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import Drawings
import TensorIO
import TensorIODecoding

/// The objects that a model found, drawn on their images.
struct ObjectsSection {
  var rows: [ResultRow]
  var images: ReportImages?
  var galleryLength: Int
  /// Pairs of indices of keypoints that are connected by lines.
  var skeleton: [[Int]] = []

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
  static func objects(in row: ResultRow) -> [Detection] {
    let results = row.evaluation?.inferenceResults ?? [:]
    for (_, value) in results.sorted(by: { $0.key < $1.key }) {
      guard case .array(let elements) = value else { continue }
      let objects = elements.compactMap(Detection.init(json:))
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
    _ row: ResultRow, _ objects: [Detection], _ images: ReportImages
  ) -> Markup {
    do {
      let image = try images.image(of: row.image)
      let pairs = skeleton.filter { $0.count == 2 }.map { ($0[0], $0[1]) }
      let unit = Double(max(image.width, image.height)) / 160
      let drawn = ObjectShapes(unit: unit, skeleton: pairs).shapes(of: objects)
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
