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

extension ClassMap {
  /// Draws the map as an SVG document, with the coloured image and its legend beside it.
  ///
  /// The image is embedded, so the document needs no other files. Screen readers read the title
  /// aloud.
  package func drawing(title: String) throws -> String {
    let (margin, lineHeight, fontSize) = (24.0, 26.0, 16.0)
    // Estimated, because no font is available to measure it.
    func textWidth(_ text: String) -> Double {
      text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? 0.6 : 1) * fontSize }
    }
    let png = Data(try ImageEncoder().encode(self.image(), as: .png)).base64EncodedString()
    // The image's longer side has 480 pixels.
    let scale = 480 / Double(max(self.width, self.height))
    let image = (width: Double(self.width) * scale, height: Double(self.height) * scale)
    let legend = legend
    let nameWidth = legend.map { textWidth($0.name) }.max() ?? 0
    let left = margin * 2 + image.width
    let right = left + 30 + nameWidth + 24 + 56
    let width = right + margin
    let height = max(image.height, Double(legend.count) * lineHeight) + 2 * margin
    let entries = legend.enumerated().map { row, entry -> Markup in
      let top = margin + Double(row) * lineHeight
      return """
        <rect x="\(left)" y="\(top)" width="18" height="18" fill="\(entry.color.hexadecimal)" \
        stroke="#888888"/>
        <text x="\(left + 30)" y="\(top + 14.5)">\(entry.name)</text>
        <text x="\(right)" y="\(top + 14.5)" text-anchor="end">\(entry.percentText)</text>

        """
    }
    let document: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="\(fontSize)" \
      fill="#222222">
      <title>\(title)</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <image x="\(margin)" y="\(margin)" width="\(image.width)" height="\(image.height)" \
      style="image-rendering:pixelated" \
      href="data:image/png;base64,\(Markup(stringLiteral: png))"/>
      \(entries)</svg>

      """
    return document.text
  }
}

extension ClassMap.LegendEntry {
  /// The label, or the class number if the class has no label.
  package var name: String { label ?? "class \(index)" }

  /// The share in percent, where a share below 0.05% is shown as "< 0.1%".
  package var percentText: String {
    share < 0.0005 ? "< 0.1%" : "\(DecimalText(share * 100, digits: 1))%"
  }
}
