// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A matrix, of whose rows only the part between the first and the last weight is kept.
struct BandMatrix: Sendable {
  private(set) var rows = 0
  private var starts: [Int] = []
  /// The position of each row's weights, and the end of the last.
  private var offsets: [Int] = [0]
  private var weights: [Double] = []

  /// Appends a row; `start` is the column of its first weight.
  mutating func append(_ row: some Sequence<Double>, from start: Int = 0) {
    var first = start
    var isLeading = true
    for weight in row {
      if isLeading && weight == 0 {
        first += 1
        continue
      }
      isLeading = false
      weights.append(weight)
    }
    while weights.count > offsets[rows] && weights[weights.count - 1] == 0 { weights.removeLast() }
    starts.append(first)
    offsets.append(weights.count)
    rows += 1
  }

  /// Multiplies the matrix by a column, whose first elements the result replaces.
  ///
  /// - Parameters:
  ///   - column: The column, which must have room for the result.
  ///   - result: Memory for `rows` numbers.
  func apply(to column: inout [Double], result: inout [Double]) {
    let weights = weights.span
    for row in 0..<rows {
      var sum = 0.0
      let shift = starts[row] - offsets[row]
      for index in offsets[row]..<offsets[row + 1] { sum += weights[index] * column[index + shift] }
      result[row] = sum
    }
    for row in 0..<rows { column[row] = result[row] }
  }
}
