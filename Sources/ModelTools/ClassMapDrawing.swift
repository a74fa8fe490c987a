// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
package import TensorIO
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A class map as an SVG document, with the coloured image and its legend beside it.
///
/// The image is embedded, so the document needs no other files.
package struct ClassMapDrawing {
  private let map: ClassMap
  private let title: String

  /// The length of the image's longer side in the drawing, in pixels.
  private static let longestSide = 480.0
  private static let margin = 24.0
  private static let lineHeight = 26.0
  private static let fontSize = 16.0

  /// Makes a drawing.
  ///
  /// - Parameters:
  ///   - map: The class map.
  ///   - title: The document's title, which screen readers read aloud.
  package init(map: ClassMap, title: String) {
    self.map = map
    self.title = title
  }

  /// Makes the document.
  ///
  /// - Throws: `TensorIOError` when the image cannot be encoded.
  package func svg() throws -> String {
    let png = Data(try ImageEncoder().encode(map.picture(), as: .png)).base64EncodedString()
    let margin = Self.margin
    let scale = Self.longestSide / Double(max(map.width, map.height))
    let picture = (width: Double(map.width) * scale, height: Double(map.height) * scale)
    let legend = map.legend
    let nameWidth = legend.map { Self.width(of: $0.name) }.max() ?? 0
    let left = margin * 2 + picture.width
    let right = left + 30 + nameWidth + 24 + 56
    let width = right + margin
    let height = max(picture.height, Double(legend.count) * Self.lineHeight) + 2 * margin
    let entries = legend.enumerated().map { row, entry -> Markup in
      let top = margin + Double(row) * Self.lineHeight
      return """
        <rect x="\(left)" y="\(top)" width="18" height="18" fill="\(entry.color.hexadecimal)" \
        stroke="#888888"/>
        <text x="\(left + 30)" y="\(top + 14.5)">\(entry.name)</text>
        <text x="\(right)" y="\(top + 14.5)" text-anchor="end">\(entry.percentText)</text>

        """
    }
    let document: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="\(Self.fontSize)" \
      fill="#222222">
      <title>\(title)</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <image x="\(margin)" y="\(margin)" width="\(picture.width)" height="\(picture.height)" \
      style="image-rendering:pixelated" \
      href="data:image/png;base64,\(Markup(stringLiteral: png))"/>
      \(entries)</svg>

      """
    return document.text
  }

  /// Estimates the width of a text, because no font is available to measure it.
  private static func width(of text: String) -> Double {
    text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? 0.6 : 1) * fontSize }
  }
}

extension ClassMap.LegendEntry {
  /// The label, or the class number if the class has no label.
  package var name: String { label ?? "class \(index)" }

  /// The share in percent, where a share below 0.05% is shown as "< 0.1%".
  package var percentText: String { share < 0.0005 ? "< 0.1%" : "\((share * 100).fixed(1))%" }
}
