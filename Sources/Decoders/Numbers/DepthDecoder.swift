// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A number for each pixel, such as a distance.
package struct DecodedDepth: Sendable, Equatable {
  package var width: Int
  package var height: Int
  /// The numbers, row after row.
  package var values: [Float]
  /// The least number that isn't NaN or infinite; 0 if there is none.
  package var minimum: Float
  /// The greatest number that isn't NaN or infinite; 0 if there is none.
  package var maximum: Float
  /// Whether greater numbers are nearer.
  package var isInverse: Bool

  package init(
    width: Int, height: Int, values: [Float], minimum: Float, maximum: Float, isInverse: Bool
  ) {
    (self.width, self.height, self.values) = (width, height, values)
    (self.minimum, self.maximum, self.isInverse) = (minimum, maximum, isInverse)
  }

  /// Returns a number from 0 to 1 for each pixel, for drawing.
  ///
  /// The nearest pixels have 1, and the farthest have 0. Pixels without a finite number have 0. If
  /// all finite numbers are equal, they count as the minimum.
  package func nearness() -> [Float] {
    // Double, because the difference of two large 32-bit numbers can be infinite.
    let start = Double(minimum)
    let range = Double(maximum) - start
    return values.map { value in
      guard value.isFinite else { return 0 }
      let share = range > 0 ? Float((Double(value) - start) / range) : 0
      return isInverse ? share : 1 - share
    }
  }
}

/// Reads a number for each pixel.
package struct DepthDecoder: Sendable {
  private let axes: TensorAxes
  private let isInverse: Bool

  /// Prepares for a map.
  ///
  /// - Parameters:
  ///   - shape: [height, width], with any number of axes of size 1.
  ///   - isInverse: Whether greater numbers are nearer.
  /// - Throws: ``DecodingError`` if the shape is another.
  package init(shape: [Int], isInverse: Bool = false) throws {
    axes = try TensorAxes(shape, 2, of: "distances", expected: "[height, width]")
    self.isInverse = isInverse
  }

  /// Returns the map.
  ///
  /// - Throws: ``DecodingError`` if all numbers are NaN, or if the tensor has another size.
  package func decode(_ values: Span<Float>) throws -> DecodedDepth {
    try axes.check(values)
    var copy: [Float] = []
    copy.reserveCapacity(axes.count)
    var isDefined = false
    var minimum = Float.infinity
    var maximum = -Float.infinity
    for index in 0..<axes.count {
      let value = values[index]
      copy.append(value)
      isDefined = isDefined || !value.isNaN
      guard value.isFinite else { continue }
      minimum = min(minimum, value)
      maximum = max(maximum, value)
    }
    guard isDefined else {
      throw DecodingError("All distances are NaN. Check the model and its input.")
    }
    if minimum > maximum { (minimum, maximum) = (0, 0) }
    return DecodedDepth(
      width: axes.sizes[1], height: axes.sizes[0], values: copy, minimum: minimum,
      maximum: maximum, isInverse: isInverse)
  }
}
