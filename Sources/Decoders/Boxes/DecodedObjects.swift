// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The objects that a decoder found, highest scores first.
package struct DecodedObjects: Sendable, Equatable {
  package var boxes: [DecodedBox] = []
  /// The points of all boxes, in the order of the boxes.
  package var points: [BoxPoint] = []
  /// The number of points of each box.
  package var pointsPerBox = 0

  package init(boxes: [DecodedBox] = [], points: [BoxPoint] = [], pointsPerBox: Int = 0) {
    self.boxes = boxes
    self.points = points
    self.pointsPerBox = pointsPerBox
  }

  /// Returns the points of a box by the box's index.
  package func points(of index: Int) -> ArraySlice<BoxPoint> {
    guard boxes.indices.contains(index), points.count == boxes.count * pointsPerBox else {
      return []
    }
    return points[index * pointsPerBox..<(index + 1) * pointsPerBox]
  }
}
