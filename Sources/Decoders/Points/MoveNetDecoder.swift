// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Decodes the poses of MoveNet, in fractions of the model's input.
package struct MoveNetDecoder: Sendable {
  private let axes: TensorAxes
  private let points: Int
  private let isSingle: Bool
  private let threshold: Float
  private let top: Int

  /// Prepares for a tensor.
  ///
  /// - Parameters:
  ///   - shape: [points, 3] for one pose, or [poses, 3 x points + 5] for several, with any number of
  ///     axes of size 1. The rows of points are y, x, score. The rows of poses have the points, then
  ///     the top, left, bottom, right and score of the pose.
  ///   - points: The number of points of a pose.
  ///   - threshold: The least score of a pose.
  ///   - top: The most poses.
  /// - Throws: ``DecodingError`` if the shape is another.
  package init(
    shape: [Int], points: Int = PersonPoints.names.count, threshold: Float = 0.25, top: Int = 100
  ) throws {
    guard (1...1_000_000).contains(points) else {
      throw DecodingError("A pose must have 1 to 1,000,000 keypoints, not \(points).")
    }
    let columns = 3 * points + 5
    axes = try TensorAxes(
      shape, 2, of: "poses", expected: "[\(points), 3] or [poses, \(columns)]")
    isSingle = axes.sizes == [points, 3]
    guard isSingle || axes.sizes[1] == columns else {
      throw DecodingError(
        "The poses have the shape \(shape), but [\(points), 3] or [poses, \(columns)] was expected "
          + "for \(points) keypoints. Check `keypoints` and the output.")
    }
    (self.points, self.threshold, self.top) = (points, threshold, top)
  }

  /// Returns the poses whose scores are at least the threshold, in descending order of the scores.
  ///
  /// Poses with equal scores are in the order of the tensor. The score of a single pose is the mean
  /// of its points' scores, and its box is the smallest one around its points. Poses with a number
  /// that is NaN or infinite are left out.
  ///
  /// - Throws: ``DecodingError`` if all poses are left out for such a number, or if the tensor has
  ///   another size.
  package func decode(_ values: Span<Float>) throws -> [DecodedPose] {
    try axes.check(values)
    let rows = isSingle ? 1 : axes.sizes[0]
    var poses: [DecodedPose] = []
    var scores: [ScoredIndex] = []
    for row in 0..<rows {
      let pose = pose(row, in: values)
      guard pose.isFinite else { continue }
      scores.append(ScoredIndex(index: poses.count, score: pose.box.score))
      poses.append(pose)
    }
    guard !poses.isEmpty else {
      throw DecodingError(
        "All poses have numbers that are NaN or infinite. Check the model and its input.")
    }
    return scores.filter { $0.score >= threshold }.best(top).map { poses[$0.index] }
  }

  private func pose(_ row: Int, in values: Span<Float>) -> DecodedPose {
    let start = row * (3 * points + 5)
    let points = (0..<points).map { point in
      let first = start + 3 * point
      return DecodedPoint(x: values[first + 1], y: values[first], score: values[first + 2])
    }
    guard !isSingle else { return DecodedPose(points) }
    let end = start + 3 * self.points
    return DecodedPose(
      points: points,
      box: DecodedBox(
        left: values[end + 1], top: values[end], right: values[end + 3], bottom: values[end + 2],
        score: values[end + 4], source: row))
  }
}
