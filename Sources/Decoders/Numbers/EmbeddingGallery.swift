// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Known vectors, which a new vector is compared with.
package struct EmbeddingGallery: Sendable {
  /// The number of vectors.
  package let count: Int
  /// The number of values of each vector.
  package let size: Int
  private let values: [Float]
  private let lengths: [Double]

  /// Creates a gallery.
  ///
  /// - Parameters:
  ///   - values: The vectors, one after the other. They can have any length.
  ///   - shape: [vectors, values].
  /// - Throws: ``DecodingError`` if the shape is another, or if a value isn't finite.
  package init(_ values: [Float], shape: [Int]) throws {
    let expected = "[vectors, values]"
    let axes = try TensorAxes(shape, 2, of: "vectors of the gallery", expected: expected)
    try axes.check(values.span)
    (count, size) = (axes.sizes[0], axes.sizes[1])
    self.values = values
    var lengths: [Double] = []
    lengths.reserveCapacity(count)
    for row in 0..<count {
      let start = row * size
      let square = values.span.product(from: start, with: values.span, from: start, count: size)
      guard square.isFinite else {
        throw DecodingError(
          "Row \(row) of the gallery has a value that is NaN or infinite. Replace the row.")
      }
      lengths.append(square.squareRoot())
    }
    self.lengths = lengths
  }

  /// Returns the cosine of the angle between a vector and each vector of the gallery.
  ///
  /// The cosine is 0 if one of the vectors is 0.
  func cosines(with vector: Span<Float>, length: Double) -> [Float] {
    (0..<count).map { row in
      let scale = lengths[row] * length
      guard scale > 0 else { return 0 }
      let product = values.span.product(from: row * size, with: vector, from: 0, count: size)
      return Float(max(-1, min(1, product / scale)))
    }
  }
}

extension Span<Float> {
  /// Returns the sum of the products of numbers.
  func product(
    from start: Int, with other: Span<Float>, from otherStart: Int, count: Int
  ) -> Double {
    let left = extracting(start..<start + count)
    let right = other.extracting(otherStart..<otherStart + count)
    // Several sums keep the processor busy, because an addition waits for the one before.
    var sums = SIMD4<Double>()
    var index = 0
    while index + 4 <= count {
      let first = SIMD4(left[index], left[index + 1], left[index + 2], left[index + 3])
      let second = SIMD4(right[index], right[index + 1], right[index + 2], right[index + 3])
      sums += SIMD4<Double>(first) * SIMD4<Double>(second)
      index += 4
    }
    var sum = sums.sum()
    while index < count {
      sum += Double(left[index]) * Double(right[index])
      index += 1
    }
    return sum
  }
}
