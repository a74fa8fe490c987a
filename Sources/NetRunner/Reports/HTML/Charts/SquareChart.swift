// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// Draws a square chart for curves with both axes from 0 to 1.
struct SquareChart {
  var title: String
  var description: String
  var xName: String
  var yName: String
  /// Additional height for content below the square.
  var extraHeight = 0.0

  /// The position and size of the square, in the drawing's coordinates.
  static let plot = (left: 52.0, top: 8.0, side: 296.0)

  static let x = ChartAxis(0, 1, at: plot.left, plot.left + plot.side)
  static let y = ChartAxis(0, 1, at: plot.top + plot.side, plot.top)

  func html(_ content: Markup, below: Markup = .empty) -> Markup {
    let plot = Self.plot
    let bottom = plot.top + plot.side
    let height = bottom + 40 + extraHeight
    var grid = Markup.empty
    for tick in stride(from: 0.0, through: 1, by: 0.25) {
      let (x, y) = (Self.x.position(of: tick), Self.y.position(of: tick))
      let name = DecimalText(tick, digits: 2)
      grid += "<line x1=\"\(plot.left)\" x2=\"\(plot.left + plot.side)\" y1=\"\(y)\" y2=\"\(y)\"/>"
      grid += "<line x1=\"\(x)\" x2=\"\(x)\" y1=\"\(plot.top)\" y2=\"\(bottom)\"/>"
      grid += "<text x=\"\(plot.left - 6)\" y=\"\(y + 4)\" text-anchor=\"end\">\(name)</text>"
      grid +=
        "<text x=\"\(x)\" y=\"\(bottom + extraHeight + 16)\" text-anchor=\"middle\">\(name)</text>"
    }
    return .chart(
      title: title, description: description, height: height,
      """
      <g class="grid">\(grid)</g>
      <line class="diagonal" x1="\(plot.left)" y1="\(bottom)" x2="\(plot.left + plot.side)" y2="\(plot.top)"/>
      \(content)\(below)
      <text x="\(plot.left + plot.side / 2)" y="\(bottom + extraHeight + 34)" text-anchor="middle">\(xName)</text>
      <text transform="translate(12 \(plot.top + plot.side / 2)) rotate(-90)" text-anchor="middle">\(yName)</text>

      """)
  }

  /// The points of a line in SVG format.
  static func points(_ points: [(x: Double, y: Double)]) -> Markup {
    var html = Markup.empty
    for point in points { html += "\(x.position(of: point.x)),\(y.position(of: point.y)) " }
    return html
  }
}

extension Markup {
  /// A chart of 360 units' width that screen readers describe.
  static func chart(
    title: String, description: String, height: Double, _ content: Markup
  ) -> Markup {
    """
    <svg class="chart" viewBox="0 0 360 \(height)" role="img">
    <title>\(title)</title><desc>\(description)</desc>
    \(content)</svg>

    """
  }
}
