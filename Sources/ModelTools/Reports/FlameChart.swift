// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO
package import TensorIOLiteRT

/// A drawing of where the time of a run goes, as an SVG document.
///
/// Each row divides the row above it: the run, its operators and the parts that XNNPACK took, and the
/// steps of those parts and of the bodies of loops. A box is as wide as its time, in the order of the run.
package struct FlameChart {
  private let title: String
  private let times: OperatorTimes
  /// The colors of the names that take the most time, and these names' times.
  private let legend: [(name: String, color: String, time: Duration)]
  private let rows: [[Box]]

  /// A box whose position and size are times in milliseconds.
  private struct Box {
    var name: String
    var start: Double
    var length: Double
    var color: String
    var note = ""
  }

  private static let colors = [
    "#ea580c", "#2563eb", "#16a34a", "#d97706", "#9333ea", "#0891b2", "#db2777", "#65a30d",
  ]
  private static let otherColor = "#94a3b8"
  private static let idleColor = "#e2e8f0"
  private static let width = 1200.0
  private static let margin = 24.0
  private static let top = 64.0
  private static let rowHeight = 34.0
  private static let ink = "#1f2937"

  /// The narrowest box that is drawn, in pixels.
  private static let narrowest = 0.05

  package init(_ times: OperatorTimes, of model: String) {
    self.times = times
    title = "\(model): one run of \(times.runTime.formatted)"
    var sums: [String: Duration] = [:]
    for step in times.steps where step.graph == times.steps.first?.graph {
      sums[step.name, default: .zero] += step.time
    }
    let sorted = sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    legend = zip(sorted, Self.colors).map { ($0.key, $1, $0.value) }
    rows = Self.rows(of: times, legend.map { ($0.name, $0.color) })
  }

  private static func rows(
    of times: OperatorTimes, _ colors: [(name: String, color: String)]
  ) -> [[Box]] {
    func color(of name: String) -> String {
      colors.first { $0.name == name }?.color ?? otherColor
    }
    let main = times.steps.first?.graph
    var operators: [Box] = []
    var steps: [Box] = []
    var part: Int?
    // The boxes of the row below the current operator, which are scaled when it is complete.
    var inner: [Box] = []
    func closeInner() {
      guard let parent = operators.last else { return }
      let length = inner.reduce(0) { $0 + $1.length }
      let scale = length > parent.length && length > 0 ? parent.length / length : 1
      var start = parent.start
      for var box in inner {
        box.length *= scale
        box.start = start
        start += box.length
        steps.append(box)
      }
      inner = []
    }
    var end = 0.0
    for step in times.steps {
      let time = step.time.milliseconds
      let box = Box(
        name: step.name, start: end, length: time, color: color(of: step.name),
        note: step.calls > 1 ? ", \(step.calls.fixed(0)) calls" : "")
      guard step.graph == main else {
        inner.append(box)
        continue
      }
      if let own = step.part, own == part {
        operators[operators.count - 1].length += time
        inner.append(box)
      } else {
        closeInner()
        part = step.part
        if part == nil {
          operators.append(box)
        } else {
          operators.append(Box(name: "XNNPACK", start: end, length: time, color: "#cbd5e1"))
          inner.append(box)
        }
      }
      end += time
    }
    closeInner()
    // The profiler makes a run longer, but hardly its operators.
    let whole = max(times.runTime.milliseconds, end)
    if whole > end {
      operators.append(
        Box(name: "other work", start: end, length: whole - end, color: idleColor))
    }
    let run = Box(name: "run", start: 0, length: whole, color: "#cbd5e1")
    return [[run], operators, steps].filter { !$0.isEmpty }
  }

  /// The document.
  package var svg: String {
    let bottom = Self.top + Double(rows.count) * Self.rowHeight + 24
    let height = bottom + Double((legend.count + 1) / 2) * 24 + 16
    let document: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
      viewBox="0 0 \(Self.width) \(height)" font-family="sans-serif" font-size="14">
      <title>\(title.printable)</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="\(Self.margin)" y="30" font-size="18" font-weight="bold" \
      fill="\(Self.ink)">\(Self.shortened(title.printable, to: 100))</text>
      <text x="\(Self.margin)" y="50" fill="#6b7280">means of the faster half of \(times.runs) \
      runs; the operators took \(times.operatorTime.formatted)</text>
      \(rows.enumerated().map { row, boxes in drawn(boxes, inRow: row) })\(drawnLegend(below: bottom))</svg>

      """
    return document.text
  }

  private func drawn(_ boxes: [Box], inRow row: Int) -> Markup {
    let whole = max(rows[0][0].length, 1e-9)
    let scale = (Self.width - 2 * Self.margin) / whole
    let y = Self.top + Double(row) * Self.rowHeight
    var markup = Markup.empty
    for box in boxes where box.length * scale >= Self.narrowest {
      let (x, width) = (Self.margin + box.start * scale, box.length * scale)
      let edge: Markup = width > 3 ? " stroke=\"#ffffff\" stroke-width=\"0.5\"" : .empty
      let share = "\((box.length / whole * 100).fixed(1))%"
      markup += """
        <g><title>\(box.name.printable): \(Duration.milliseconds(box.length).formatted), \
        \(share)\(box.note)</title>
        <rect x="\(x)" y="\(y)" width="\(max(width, 0.1))" height="\(Self.rowHeight - 2)" \
        fill="\(box.color)"\(edge)/>
        \(label(of: box, at: x, y, width))</g>

        """
    }
    return markup
  }

  private func label(of box: Box, at x: Double, _ y: Double, _ width: Double) -> Markup {
    let room = Int((width - 10) / 9.5)
    guard room >= 4 else { return Markup.empty }
    let name = Self.shortened(box.name.printable, to: room)
    let isLight = ["#cbd5e1", Self.idleColor].contains(box.color)
    return """
      <text x="\(x + 5)" y="\(y + 21)" fill="\(isLight ? Self.ink : "#ffffff")">\(name)</text>

      """
  }

  private func drawnLegend(below y: Double) -> Markup {
    var markup = Markup.empty
    let half = (Self.width - 2 * Self.margin) / 2
    let total = max(times.operatorTime.milliseconds, 1e-9)
    for (place, entry) in legend.enumerated() {
      let x = Self.margin + Double(place % 2) * half
      let line = y + Double(place / 2) * 24
      let share = (entry.time.milliseconds / total * 100).fixed(1)
      markup += """
        <rect x="\(x)" y="\(line - 12)" width="14" height="14" fill="\(entry.color)"/>
        <text x="\(x + 22)" y="\(line)" fill="\(Self.ink)">\
        \(Self.shortened(entry.name.printable, to: 42)) \(entry.time.formatted) (\(share)%)</text>

        """
    }
    return markup
  }

  private static func shortened(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(max(count - 2, 1)) + ".."
  }
}
