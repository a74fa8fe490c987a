// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension [Double] {
  /// The positions of the numbers, sorted by the numbers.
  ///
  /// Equal numbers keep their order. The numbers must not be NaN.
  func order(descending: Bool = false) -> [Int] {
    // Sorting the numbers together with their positions is faster than sorting only positions.
    var keys: [(number: Double, position: Int)] = []
    keys.reserveCapacity(count)
    for position in indices {
      keys.append((descending ? -self[position] : self[position], position))
    }
    keys.sort { left, right in
      left.number != right.number ? left.number < right.number : left.position < right.position
    }
    return keys.map { $0.position }
  }

  /// The mean, or nil if there are no numbers.
  package var arithmeticMean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
