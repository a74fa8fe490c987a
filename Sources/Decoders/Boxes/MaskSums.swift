// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The two cells of a row or column that a pixel lies between.
struct Tap {
  let first: Int
  let second: Int
  /// The weight of the second cell.
  let weight: Float

  /// Finds the cells of a pixel, whose center is interpolated between the cells' centers.
  init(_ pixel: Int, of pixels: Int, from cells: Int) {
    let place = max((Float(pixel) + 0.5) * (Float(cells) / Float(pixels)) - 0.5, 0)
    first = min(Int(place), cells - 1)
    second = min(first + 1, cells - 1)
    weight = place - Float(first)
  }
}

/// The weighted sums of mask prototypes, for a part of their grid.
struct MaskSums {
  private var values: [Float]
  private let columns: ClosedRange<Int>
  private let rows: ClosedRange<Int>

  init(
    _ prototypes: MaskPrototypes, _ coefficients: [Float], columns: ClosedRange<Int>,
    rows: ClosedRange<Int>, in tensor: Span<Float>
  ) {
    self.columns = columns
    self.rows = rows
    values = []
    values.reserveCapacity(columns.count * rows.count)
    let weights = coefficients.span
    var storage = [Float](repeating: 0, count: columns.count)
    for row in rows {
      var sums = storage.mutableSpan
      sums.update(repeating: 0)
      if prototypes.isChannelsFirst {
        for index in weights.indices {
          let start = (index * prototypes.height + row) * prototypes.width + columns.lowerBound
          add(tensor.extracting(start..<start + columns.count), times: weights[index], to: &sums)
        }
      } else {
        for column in columns {
          let start = (row * prototypes.width + column) * weights.count
          sums[column - columns.lowerBound] = product(
            tensor.extracting(start..<start + weights.count), weights)
        }
      }
      values += storage
    }
  }

  /// The value between four cells.
  func value(_ column: Tap, _ row: Tap) -> Float {
    let upper = value(column, row.first)
    return upper + (value(column, row.second) - upper) * row.weight
  }

  private func value(_ column: Tap, _ row: Int) -> Float {
    let start = (row - rows.lowerBound) * columns.count - columns.lowerBound
    let left = values[start + column.first]
    return left + (values[start + column.second] - left) * column.weight
  }
}

/// The compiler makes vector instructions of this loop.
private func add(_ row: Span<Float>, times factor: Float, to sums: inout MutableSpan<Float>) {
  precondition(sums.count >= row.count)
  for index in row.indices { sums[index] += row[index] * factor }
}

/// Four sums at a time, because each addition would wait for the one before.
private func product(_ left: Span<Float>, _ right: Span<Float>) -> Float {
  precondition(left.count == right.count)
  var (first, second, third, fourth): (Float, Float, Float, Float) = (0, 0, 0, 0)
  var index = 0
  while index + 4 <= left.count {
    first += left[index] * right[index]
    second += left[index + 1] * right[index + 1]
    third += left[index + 2] * right[index + 2]
    fourth += left[index + 3] * right[index + 3]
    index += 4
  }
  while index < left.count {
    first += left[index] * right[index]
    index += 1
  }
  return first + second + (third + fourth)
}
