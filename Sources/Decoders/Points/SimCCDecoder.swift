// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Decodes keypoints from scores of columns and rows, as in SimCC and RTMPose.
///
/// Positions are in pixels of the model's input. The first column and row are at 0.
package struct SimCCDecoder: Sendable {
  /// The number of keypoints.
  package let count: Int
  private let columns: TensorAxes
  private let rows: TensorAxes
  private let split: Float

  /// Prepares for two tensors.
  ///
  /// - Parameters:
  ///   - columnShape: [points, input width x split], with any number of axes of size 1.
  ///   - rowShape: [points, input height x split].
  ///   - split: The number of columns and rows for each pixel of the input.
  /// - Throws: ``DecodingError`` if the shapes are others.
  package init(columnShape: [Int], rowShape: [Int], split: Float = 2) throws {
    columns = try TensorAxes(
      columnShape, 2, of: "scores of columns", expected: "[keypoints, columns]")
    rows = try TensorAxes(rowShape, 2, of: "scores of rows", expected: "[keypoints, rows]")
    count = columns.sizes[0]
    guard rows.sizes[0] == count else {
      throw DecodingError(
        "The scores of columns are for \(count) keypoints, but those of rows are for "
          + "\(rows.sizes[0]). Choose two outputs of the same keypoints.")
    }
    guard split > 0, split.isFinite else {
      throw DecodingError("\"split\" is \(split), but a positive number was expected.")
    }
    self.split = split
  }

  /// Returns the column and the row of each point with the greatest scores.
  ///
  /// x is the index of the column divided by `split`, and y is the index of the row divided by
  /// `split`. The score is the lesser of the two scores. Unlike in MMPose, the position doesn't
  /// become -1 if the score isn't positive, because logits can be negative.
  ///
  /// - Throws: ``DecodingError`` if all scores of a point are NaN, or if a tensor has another size.
  package func decode(columns: Span<Float>, rows: Span<Float>) throws -> DecodedPose {
    try self.columns.check(columns)
    try self.rows.check(rows)
    let (width, height) = (self.columns.sizes[1], self.rows.sizes[1])
    var points: [DecodedPoint] = []
    for index in 0..<count {
      guard let x = columns.greatest(from: index * width, count: width),
        let y = rows.greatest(from: index * height, count: height)
      else {
        throw DecodingError(
          "All scores of keypoint \(index) are NaN. Check the model and its input.")
      }
      points.append(
        DecodedPoint(
          x: Float(x.index) / split, y: Float(y.index) / split, score: min(x.value, y.value)))
    }
    return DecodedPose(points)
  }
}
