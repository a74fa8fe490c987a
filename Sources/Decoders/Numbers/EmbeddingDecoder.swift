// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A vector that describes an input, and the nearest known vectors.
package struct DecodedEmbedding: Sendable, Equatable {
  package var vector: [Float]
  /// The rows of the gallery and their cosines, nearest first; empty without a gallery.
  package var nearest: [ScoredIndex]

  package init(vector: [Float], nearest: [ScoredIndex] = []) {
    self.vector = vector
    self.nearest = nearest
  }
}

/// Scales a vector to length 1, and finds the nearest vectors of a gallery.
package struct EmbeddingDecoder: Sendable {
  private let axes: TensorAxes
  private let normalizes: Bool
  private let gallery: EmbeddingGallery?
  private let top: Int
  private let threshold: Float

  /// Prepares for a vector.
  ///
  /// - Parameters:
  ///   - shape: [values], with any number of axes of size 1.
  ///   - normalizes: Whether the vector is scaled to length 1. The cosines don't depend on it.
  ///   - gallery: The known vectors.
  ///   - top: The most vectors of the gallery that are returned.
  ///   - threshold: The least cosine of these vectors.
  /// - Throws: ``DecodingError`` if the shape is another, or doesn't fit the gallery.
  package init(
    shape: [Int], normalizes: Bool = true, gallery: EmbeddingGallery? = nil, top: Int = .max,
    threshold: Float = -.infinity
  ) throws {
    axes = try TensorAxes(shape, 1, of: "vectors", expected: "[values]")
    if let gallery, gallery.size != axes.count {
      throw DecodingError(
        "The gallery's vectors have \(gallery.size) values, but the output has \(axes.count). "
          + "Make the gallery with this model.")
    }
    self.normalizes = normalizes
    self.gallery = gallery
    self.top = top
    self.threshold = threshold
  }

  /// Returns the vector and its nearest neighbors by cosine.
  ///
  /// Neighbors with equal cosines are in the order of the gallery. A vector of length 0 stays as it
  /// is.
  ///
  /// - Throws: ``DecodingError`` if a value is NaN or infinite, or if the tensor has another size.
  package func decode(_ values: Span<Float>) throws -> DecodedEmbedding {
    try axes.check(values)
    let length = values.product(from: 0, with: values, from: 0, count: axes.count).squareRoot()
    guard length.isFinite else {
      throw DecodingError(
        "The vector has a value that is NaN or infinite. Check the model and its input.")
    }
    let divisor = normalizes && length > 0 ? length : 1
    let vector: [Float] = (0..<axes.count).map { Float(Double(values[$0]) / divisor) }
    guard let gallery else { return DecodedEmbedding(vector: vector) }
    var neighbors: [ScoredIndex] = []
    for (index, cosine) in gallery.cosines(with: values, length: length).enumerated()
    where cosine >= threshold {
      neighbors.append(ScoredIndex(index: index, score: cosine))
    }
    return DecodedEmbedding(vector: vector, nearest: neighbors.best(top))
  }
}
