// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension LossPlot {
  /// The number of pixels for each unit of the drawing, which keeps it sharp on high-density
  /// screens.
  private static let density = 2.0

  /// Draws the plot as an image.
  ///
  /// - Throws: `TensorIOError` when there isn't enough memory for the image.
  func picture() throws -> PixelBuffer {
    var canvas = Canvas(
      width: Int(Self.width * Self.density), height: Int(Self.height * Self.density),
      background: Self.background)
    for mark in marks {
      switch mark {
      case .line(let points, let color, let width):
        canvas.stroke([points.map(Self.scaled)], color: color, width: width * Self.density)
      case .text(let text, let place, let alignment, let color, let isBold):
        let width = StrokeFont.width(of: text, size: Self.fontSize)
        let x =
          switch alignment {
          case .leading: place.x
          case .center: place.x - width / 2
          case .trailing: place.x - width
          }
        let strokes = StrokeFont.strokes(
          of: text, at: Position(x: x, y: place.y), size: Self.fontSize)
        canvas.stroke(
          strokes.map { $0.map(Self.scaled) }, color: color,
          width: (isBold ? 2.1 : 1.35) * Self.density)
      }
    }
    return canvas.picture
  }

  private static func scaled(_ place: Position) -> Position {
    Position(x: place.x * density, y: place.y * density)
  }
}
