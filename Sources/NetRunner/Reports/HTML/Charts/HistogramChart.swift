// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// Draws a histogram of latencies, with marks for the percentiles.
struct HistogramChart {
  var histogram: Histogram
  /// The chart's title, which must be unique on the page.
  var title: String
  var marks: [(name: String, value: Double)]

  private static let size = (width: 360.0, height: 190.0)
  private static let plot = (left: 8.0, right: 352.0, top: 40.0, bottom: 158.0)

  var html: Markup {
    let plot = Self.plot
    let x = ChartAxis(histogram.start, histogram.end, at: plot.left, plot.right)
    let most = max(1, histogram.counts.max() ?? 1)
    let y = ChartAxis(0, Double(most), at: plot.bottom, plot.top + 4)
    var bars = Markup.empty
    for (bin, count) in histogram.counts.enumerated() where count > 0 {
      let from = x.position(of: histogram.start + Double(bin) * histogram.width)
      let to = x.position(of: histogram.start + Double(bin + 1) * histogram.width)
      // Make a bar with a single image visible as well.
      let top = min(y.position(of: Double(count)), plot.bottom - 1.5)
      bars +=
        "<rect x=\"\(from + 0.5)\" y=\"\(top)\" width=\"\(max(0.8, to - from - 1))\" height=\"\(plot.bottom - top)\"/>"
    }
    return .chart(
      title: title, description: summary, height: Self.size.height,
      """
      <g class="bars">\(bars)</g>
      <line class="axis" x1="\(plot.left)" x2="\(plot.right)" y1="\(plot.bottom)" y2="\(plot.bottom)"/>
      \(ticks(x))\(markers(x))
      """)
  }

  private var summary: String {
    let parts = marks.map { "\($0.name) \(DecimalText(milliseconds: $0.value)) ms" }
    let beyond = histogram.beyond > 0 ? "; \(histogram.beyond) beyond the axis" : ""
    return "Histogram. " + parts.joined(separator: ", ") + beyond + "."
  }

  private func ticks(_ x: ChartAxis) -> Markup {
    var html = Markup.empty
    for tick in x.ticks(5) {
      let position = x.position(of: tick.value)
      let anchor = position < 24 ? "start" : position > Self.size.width - 24 ? "end" : "middle"
      html +=
        "<line class=\"axis\" x1=\"\(position)\" x2=\"\(position)\" y1=\"\(Self.plot.bottom)\" y2=\"\(Self.plot.bottom + 4)\"/>"
      html +=
        "<text x=\"\(position)\" y=\"\(Self.plot.bottom + 18)\" text-anchor=\"\(anchor)\">\(tick.text)</text>"
    }
    return html
  }

  /// Draws lines with names above them; names that would overlap are moved to another row.
  private func markers(_ x: ChartAxis) -> Markup {
    var html = Markup.empty
    var ends = [-Double.infinity, -Double.infinity, -Double.infinity]
    for mark in marks where mark.value <= histogram.end {
      let position = x.position(of: mark.value)
      let half = 3.9 * Double(mark.name.count)
      let center = min(max(position, half), Self.size.width - half)
      let row = ends.firstIndex { $0 + 2 < center - half } ?? 0
      ends[row] = center + half
      let baseline = Self.plot.top - 6 - 12 * Double(row)
      html +=
        "<line class=\"mark\" x1=\"\(position)\" x2=\"\(position)\" y1=\"\(baseline + 3)\" y2=\"\(Self.plot.bottom)\"/>"
      html +=
        "<text class=\"name\" x=\"\(center)\" y=\"\(baseline)\" text-anchor=\"middle\">\(mark.name)</text>"
    }
    return html
  }
}

/// The distribution of values over bins.
struct Histogram {
  let start: Double
  let width: Double
  /// The number of values in each bin.
  let counts: [Int]
  /// The number of values after the last bin.
  let beyond: Int

  var end: Double { start + width * Double(counts.count) }

  /// Counts values in bins of round widths, or returns nil if there are none.
  ///
  /// A few outliers would squeeze all other values into one bin. Values more than twice as far
  /// above the median as the 99th percentile are therefore counted in ``beyond``.
  init?(_ values: [Double]) {
    let sorted = values.filter { $0.isFinite && $0.magnitude < 1e12 }.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    let middle = sorted[sorted.count / 2]
    let far = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    let limit = sorted.count < 20 ? most : min(most, middle + 2 * (far - middle))
    let bins = min(30, max(8, Int(2 * Double(sorted.count).squareRoot())))
    let range = max(limit - least, max(abs(limit), 1e-3) * 0.01)
    let width = max(ChartAxis.roundStep(range / Double(bins)), 1e-9)
    let start = (least / width).rounded(.down) * width
    let count = min(60, max(1, Int(((limit - start) / width).rounded(.down)) + 1))
    var counts = [Int](repeating: 0, count: count)
    var beyond = 0
    for value in sorted {
      let bin = ((value - start) / width).rounded(.down)
      if bin < Double(count) { counts[max(0, Int(bin))] += 1 } else { beyond += 1 }
    }
    self.start = start
    self.width = width
    self.counts = counts
    self.beyond = beyond
  }
}
