// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
import TensorIO

extension LossPlot {
  /// Returns the plot as an SVG document.
  func svg() -> String {
    let (width, height) = (Self.text(Self.width), Self.text(Self.height))
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="sans-serif" \
      font-size="\(Self.text(Self.fontSize))">
      """,
      "<title>\(title.xml)</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"\(Self.background.hexadecimal)\"/>",
    ]
    for mark in marks {
      switch mark {
      case .line(let points, let color, let width):
        let places = points.map { "\(Self.text($0.x)),\(Self.text($0.y))" }
        lines.append(
          """
          <polyline points="\(places.joined(separator: " "))" fill="none" \
          stroke="\(color.hexadecimal)" stroke-width="\(Self.text(width))" \
          stroke-linecap="round" stroke-linejoin="round"/>
          """)
      case .text(let text, let place, let alignment, let color, let isBold):
        let anchor =
          switch alignment {
          case .leading: "start"
          case .center: "middle"
          case .trailing: "end"
          }
        lines.append(
          """
          <text x="\(Self.text(place.x))" y="\(Self.text(place.y))" text-anchor="\(anchor)" \
          fill="\(color.hexadecimal)"\(isBold ? " font-weight=\"bold\"" : "")>\(text.xml)</text>
          """)
      }
    }
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Formats a length without a trailing `.0`.
  private static func text(_ length: Double) -> String {
    let text = length.fixed(1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
