// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// Draws the ROC curves with the smallest areas.
struct ROCChart {
  var curves: [ROCCurve]
  var model: String

  /// The maximum number of curves, and how many of them have a colour and a name.
  private static let (most, named) = (12, 3)

  var html: Markup {
    let sorted = curves.sorted { $0.area < $1.area }
    let shown = Array(sorted.prefix(Self.most))
    let highlights = curves.count == 1 ? 1 : min(Self.named, shown.count)
    var lines = Markup.empty
    for (index, curve) in shown.enumerated().reversed() {
      let style = index < highlights ? "curve c\(index)" : "curve"
      let points = SquareChart.points(
        curve.points.map { ($0.falsePositiveRate, $0.truePositiveRate) })
      lines += "<polyline class=\"\(style)\" points=\"\(points)\"/>\n"
    }
    let least = shown.prefix(highlights).map { curve in
      "\(curve.label) with an area of \(DecimalText(curve.area, digits: 3))"
    }
    let chart = SquareChart(
      title: "\(model): ROC curves",
      description: "The smallest areas: \(least.joined(separator: ", ")).",
      xName: "false positive rate", yName: "true positive rate")
    return """
      <figure><figcaption><strong>ROC</strong>\(caption(sorted, shown))</figcaption>
      \(chart.html(lines))\(legend(shown, highlights))</figure>

      """
  }

  private func caption(_ sorted: [ROCCurve], _ shown: [ROCCurve]) -> Markup {
    guard curves.count > 1 else { return .empty }
    guard shown.count < sorted.count else { return ", each class against all others" }
    return """
      , each class against all others: the \(shown.count) smallest areas, \
      \(sorted.count - shown.count) left out
      """
  }

  private func legend(_ shown: [ROCCurve], _ highlights: Int) -> Markup {
    var items = Markup.empty
    for (index, curve) in shown.prefix(highlights).enumerated() {
      items += """
        <div><span class="key k\(index)"></span>\(Markup.name(curve.label)), area \
        \(DecimalText(curve.area, digits: 3))</div>
        """
    }
    let others = shown.dropFirst(highlights).map(\.area)
    if let least = others.min(), let most = others.max() {
      items += """
        <div class="muted"><span class="key"></span>\(others.count) more, areas \
        \(DecimalText(least, digits: 3)) to \(DecimalText(most, digits: 3))</div>
        """
    }
    return "<div class=\"small\">\(items)</div>"
  }
}

/// Draws how often the model is right, by its confidence.
struct CalibrationChart {
  var bins: [CalibrationBin]
  var model: String

  private static let stripHeight = 56.0

  var html: Markup {
    let bottom = SquareChart.plot.top + SquareChart.plot.side
    let base = bottom + Self.stripHeight + 4
    let most = max(1, bins.map(\.count).max() ?? 1)
    var bars = Markup.empty
    var strip = Markup.empty
    for bin in bins where bin.count > 0 {
      let (left, right) = (
        SquareChart.x.position(of: bin.lower), SquareChart.x.position(of: bin.upper)
      )
      let width = max(1, right - left - 2)
      let accuracy = SquareChart.y.position(of: bin.accuracy)
      let sure = SquareChart.y.position(of: bin.confidence)
      bars += """
        <rect class="share" x="\(left + 1)" y="\(accuracy)" width="\(width)" \
        height="\(bottom - accuracy)"/><rect class="\(bin.accuracy > bin.confidence ? "under" : "gap")" x="\(left + 1)" y="\(min(accuracy, sure))" \
        width="\(width)" height="\(abs(accuracy - sure))"/><circle class="dot" \
        cx="\(SquareChart.x.position(of: bin.confidence))" cy="\(accuracy)" r="3.5"/>

        """
      let height = max(1.5, Double(bin.count) / Double(most) * (Self.stripHeight - 18))
      strip += """
        <rect x="\(left + 1)" y="\(base - height)" width="\(width)" height="\(height)"/>\
        <text x="\((left + right) / 2)" y="\(base - height - 3)" text-anchor="middle">\
        \(Self.short(bin.count))</text>

        """
    }
    let chart = SquareChart(
      title: "\(model): reliability", description: description, xName: "confidence of the model",
      yName: "share of right predictions", extraHeight: Self.stripHeight + 8)
    return """
      <figure><figcaption><strong>Reliability</strong>: bars show the share of right \
      predictions. Red shows the distance from the model's confidence, filled where the model is \
      too confident. The strip below shows the number of predictions.</figcaption>
      \(chart.html("<g class=\"bars\">\(bars)</g>", below: "<g class=\"bars\">\(strip)</g>"))</figure>

      """
  }

  /// Shortens a number so that it fits above a narrow bar.
  private static func short(_ count: Int) -> String {
    switch count {
    case 10_000_000...: "\(count / 1_000_000)M"
    case 10_000...: "\(count / 1_000)k"
    default: "\(count)"
    }
  }

  private var description: String {
    bins.filter { $0.count > 0 }.map { bin in
      "From \(DecimalText(bin.lower, digits: 2)) to \(DecimalText(bin.upper, digits: 2)): "
        + "\(bin.count) predictions, \(DecimalText(bin.accuracy * 100, digits: 1))% right."
    }.joined(separator: " ")
  }
}

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
