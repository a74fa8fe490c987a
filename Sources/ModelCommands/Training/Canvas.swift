// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// An image to draw lines on, with smooth edges and round ends.
struct Canvas {
  private let width: Int
  private let height: Int
  private var bytes: [UInt8]

  init(width: Int, height: Int, background: PixelColor) {
    self.width = width
    self.height = height
    bytes = []
    bytes.reserveCapacity(width * height * 3)
    for _ in 0..<(width * height) {
      bytes += [background.red, background.green, background.blue]
    }
  }

  /// The drawn image.
  var picture: PixelBuffer {
    PixelBuffer(width: width, height: height, format: .rgb, bytes: bytes)
  }

  /// Draws lines through points, which are no darker where they cross each other.
  mutating func stroke(_ lines: [[LossPlot.Position]], color: PixelColor, width: Double) {
    let points = lines.joined()
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(),
      let top = points.map(\.y).min(), let bottom = points.map(\.y).max()
    else { return }
    let reach = width / 2 + 1
    let columns = clamped(left - reach, right + reach, to: self.width)
    let rows = clamped(top - reach, bottom + reach, to: height)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    var coverage = [Float](repeating: 0, count: columns.count * rows.count)
    for line in lines {
      for (start, end) in zip(line, line.count > 1 ? line.dropFirst() : line[...]) {
        cover(&coverage, columns, rows, from: start, to: end, width: width)
      }
    }
    for row in rows {
      for column in columns {
        let share = coverage[(row - rows.lowerBound) * columns.count + column - columns.lowerBound]
        if share > 0 { blend(color, share, at: (row * self.width + column) * 3) }
      }
    }
  }

  private func clamped(_ low: Double, _ high: Double, to limit: Int) -> Range<Int> {
    let start = min(max(Int(low.rounded(.down)), 0), limit)
    return start..<max(start, min(Int(high.rounded(.up)) + 1, limit))
  }

  /// Records how much of each pixel a straight line covers, by how far the pixel's centre is from
  /// it.
  private func cover(
    _ coverage: inout [Float], _ columns: Range<Int>, _ rows: Range<Int>,
    from start: LossPlot.Position, to end: LossPlot.Position, width: Double
  ) {
    let reach = width / 2 + 1
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = dx * dx + dy * dy
    let near = clamped(min(start.x, end.x) - reach, max(start.x, end.x) + reach, to: self.width)
      .clamped(to: columns)
    for row in clamped(min(start.y, end.y) - reach, max(start.y, end.y) + reach, to: height)
      .clamped(to: rows)
    {
      for column in near {
        let (x, y) = (Double(column) + 0.5 - start.x, Double(row) + 0.5 - start.y)
        let along = length > 0 ? min(max((x * dx + y * dy) / length, 0), 1) : 0
        let (offX, offY) = (x - along * dx, y - along * dy)
        let distance = (offX * offX + offY * offY).squareRoot()
        let share = Float(min(max(width / 2 + 0.5 - distance, 0), 1))
        let index = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
        if share > coverage[index] { coverage[index] = share }
      }
    }
  }

  private mutating func blend(_ color: PixelColor, _ share: Float, at index: Int) {
    for (offset, value) in [color.red, color.green, color.blue].enumerated() {
      let below = Float(bytes[index + offset])
      bytes[index + offset] = UInt8(below + (Float(value) - below) * share + 0.5)
    }
  }
}
