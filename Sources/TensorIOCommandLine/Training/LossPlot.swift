// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import ModelCommands
import ModelTools
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The plot of a training run as an SVG document: axes, curves and a legend.
struct LossPlot {
  private let curve: LossCurve
  private let x: ChartAxis
  private let y: ChartAxis

  private static let size = (width: 960.0, height: 560.0)
  private static let frame = (left: 84.0, top: 66.0, right: 936.0, bottom: 500.0)
  private static let ink = "#1f2937"
  private static let quiet = "#6b7280"

  /// Points of the curve, with their name in the legend.
  private struct Series {
    var name: String
    var points: [LossCurve.Point]
    var color: String
    var width: Double
  }

  /// The series that have points, from back to front.
  private let series: [Series]

  init(_ curve: LossCurve) {
    self.curve = curve
    series = [
      Series(name: "training, step", points: curve.thinned, color: "#a9c4f5", width: 1.2),
      Series(name: "training, epoch", points: curve.training, color: "#1d4ed8", width: 2.6),
      Series(name: "validation, epoch", points: curve.validation, color: "#ea580c", width: 2.6),
    ].filter { !$0.points.isEmpty }
    let points = series.flatMap(\.points)
    let frame = Self.frame
    x = ChartAxis(0, max(1, points.map(\.step).max() ?? 1), at: frame.left, frame.right)
    y = ChartAxis(covering: points.map(\.value), at: frame.bottom, frame.top)
  }

  var svg: String {
    let (width, height) = (Self.size.width, Self.size.height)
    let name = curve.name.printable
    let shown = name.count > 40 ? "..." + name.suffix(37) : name
    let document: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="16">
      <title>\(curve.name) over \(curve.count) steps</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(grid)<g fill="none" stroke-linecap="round" stroke-linejoin="round">
      \(series.map(line))</g>
      <g fill="\(Self.ink)">
      <text x="24" y="26" font-weight="bold">\(shown)\(y.isLogarithmic ? " (logarithmic)" : "")</text>
      <text x="\((Self.frame.left + Self.frame.right) / 2)" y="550" text-anchor="middle">step</text>
      \(legend)</g>
      </svg>

      """
    return document.text
  }

  private var grid: Markup {
    let frame = Self.frame
    var lines = Markup.empty
    var texts = Markup.empty
    for tick in y.ticks(5) {
      let y = y.position(of: tick.value)
      lines += "<path d=\"M\(frame.left) \(y)H\(frame.right)\" stroke=\"#e5e7eb\"/>\n"
      texts +=
        "<text x=\"\(frame.left - 10)\" y=\"\(y + 5.5)\" text-anchor=\"end\">\(tick.text)</text>\n"
    }
    for tick in x.ticks(5) {
      let x = x.position(of: tick.value)
      lines += "<path d=\"M\(x) \(frame.bottom)v6\"/>\n"
      texts +=
        "<text x=\"\(x)\" y=\"\(frame.bottom + 25)\" text-anchor=\"middle\">\(tick.text)</text>\n"
    }
    return """
      <g fill="none" stroke="\(Self.quiet)">
      \(lines)<path d="M\(frame.left) \(frame.top)V\(frame.bottom)H\(frame.right)"/>
      </g>
      <g fill="\(Self.quiet)">
      \(texts)</g>

      """
  }

  private func line(_ series: Series) -> Markup {
    var points = Markup.empty
    var dots = Markup.empty
    // Mark the points of a short curve. A curve of a single point would otherwise be invisible.
    let hasDots = series.points.count <= 40 && (series.width > 2 || series.points.count == 1)
    for point in series.points {
      let (x, y) = (x.position(of: point.step), y.position(of: point.value))
      points += "\(x),\(y) "
      if hasDots {
        dots += "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"3.5\" fill=\"\(series.color)\"/>\n"
      }
    }
    return """
      <polyline points="\(points)" stroke="\(series.color)" stroke-width="\(series.width)"/>
      \(dots)
      """
  }

  private var legend: Markup {
    var entries = Markup.empty
    var left = Self.frame.left
    for series in series {
      entries += """
        <path d="M\(left) 44.5h26" stroke="\(series.color)" stroke-width="\(max(series.width, 2))"/>
        <text x="\(left + 36)" y="50">\(series.name)</text>

        """
      left += 200
    }
    return entries
  }
}

extension LossPlot {
  /// Checks that a plot can be written, before the training begins.
  static func checkFile(_ path: String) throws {
    let folder = FileSystem.folder(of: path)
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' for the plot.")
    }
    let files = FileManager.default
    guard !FileSystem.isFolder(path),
      FileSystem.isFile(path)
        ? files.isWritableFile(atPath: path) : files.isWritableFile(atPath: folder)
    else { throw TensorIOError(.unwritableFile, "'\(path)' can't be written.") }
  }

  /// Writes the plot, and replaces an existing file.
  func write(to path: String) throws {
    try FileSystem.writing("'\(path)' can't be written") {
      try Data(svg.utf8).write(to: URL(filePath: path))
    }
  }
}
