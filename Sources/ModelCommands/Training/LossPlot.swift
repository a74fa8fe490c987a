// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
import TensorIO

/// The plot of a training run: axes, curves and a legend, as lines and texts for any surface.
struct LossPlot {
  static let width = 960.0
  static let height = 560.0
  static let fontSize = 16.0
  static let background = PixelColor(red: 255, green: 255, blue: 255)

  /// A line through points, or a piece of text.
  enum Mark {
    case line([Position], color: PixelColor, width: Double)
    case text(String, Position, Alignment, color: PixelColor, isBold: Bool)
  }

  /// A position, measured from the upper left corner.
  struct Position: Hashable {
    var x: Double
    var y: Double
  }

  /// The alignment of a text to its position.
  enum Alignment { case leading, center, trailing }

  /// The lines and texts, from back to front.
  let marks: [Mark]
  /// The description of the plot for users who can't see it.
  let title: String

  private static let frame = (left: 84.0, top: 66.0, right: 936.0, bottom: 500.0)
  private static let ink = PixelColor(red: 0x1F, green: 0x29, blue: 0x37)
  private static let quiet = PixelColor(red: 0x6B, green: 0x72, blue: 0x80)
  private static let grid = PixelColor(red: 0xE5, green: 0xE7, blue: 0xEB)
  private static let faint = PixelColor(red: 0xA9, green: 0xC4, blue: 0xF5)
  private static let blue = PixelColor(red: 0x1D, green: 0x4E, blue: 0xD8)
  private static let orange = PixelColor(red: 0xEA, green: 0x58, blue: 0x0C)

  init(_ curve: LossCurve) {
    let frame = Self.frame
    let steps = curve.thinned
    let all = steps + curve.training + curve.validation
    let across = PlotAxis([1] + all.map(\.step), startsAtZero: true)
    let upward = PlotAxis(all.map(\.value), mayBeLogarithmic: true)
    func place(_ point: LossCurve.Point) -> Position {
      Position(
        x: frame.left + across.place(of: point.step) * (frame.right - frame.left),
        y: frame.bottom - upward.place(of: point.value) * (frame.bottom - frame.top))
    }
    var marks: [Mark] = []
    for tick in upward.ticks {
      let y = place(LossCurve.Point(step: 0, value: tick.value)).y
      marks.append(
        .line(
          [Position(x: frame.left, y: y), Position(x: frame.right, y: y)], color: Self.grid,
          width: 1))
      marks.append(
        .text(
          tick.text, Position(x: frame.left - 10, y: y + 5.5), .trailing, color: Self.quiet,
          isBold: false))
    }
    for tick in across.ticks {
      let x = frame.left + across.place(of: tick.value) * (frame.right - frame.left)
      marks.append(
        .line(
          [Position(x: x, y: frame.bottom), Position(x: x, y: frame.bottom + 6)],
          color: Self.quiet, width: 1))
      marks.append(
        .text(
          tick.text, Position(x: x, y: frame.bottom + 25), .center, color: Self.quiet,
          isBold: false))
    }
    marks.append(
      .line(
        [
          Position(x: frame.left, y: frame.top), Position(x: frame.left, y: frame.bottom),
          Position(x: frame.right, y: frame.bottom),
        ], color: Self.quiet, width: 1))
    marks.append(
      .text(
        "step", Position(x: (frame.left + frame.right) / 2, y: frame.bottom + 50), .center,
        color: Self.ink, isBold: false))
    let name = curve.name.printable
    let shown = name.count > 40 ? "..." + name.suffix(37) : name
    marks.append(
      .text(
        shown + (upward.isLogarithmic ? " (logarithmic)" : ""), Position(x: 24, y: 36), .leading,
        color: Self.ink, isBold: true))
    let curves: [(String, [LossCurve.Point], PixelColor, Double)] = [
      ("training, step", steps, Self.faint, 1.2),
      ("training, epoch", curve.training, Self.blue, 2.6),
      ("validation, epoch", curve.validation, Self.orange, 2.6),
    ]
    let drawn = curves.filter { !$0.1.isEmpty }
    for (_, points, color, width) in drawn {
      marks.append(.line(points.map(place), color: color, width: width))
      // Mark the points of a short curve. A curve of a single point would otherwise be invisible.
      guard points.count <= 40, width > 2 || points.count == 1 else { continue }
      for point in points {
        let position = place(point)
        marks.append(.line([position, position], color: color, width: 7))
      }
    }
    var x = frame.right
    for (label, _, color, width) in drawn.reversed() {
      x -= StrokeFont.width(of: label, size: Self.fontSize)
      marks.append(
        .text(label, Position(x: x, y: 36), .leading, color: Self.ink, isBold: false))
      marks.append(
        .line(
          [Position(x: x - 36, y: 30.5), Position(x: x - 10, y: 30.5)], color: color,
          width: max(width, 2)))
      x -= 60
    }
    self.marks = marks
    title = "\(name) over \(Int(all.map(\.step).max() ?? 0)) steps"
  }
}
