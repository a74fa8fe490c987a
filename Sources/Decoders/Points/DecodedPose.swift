// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A point that a model found, such as an elbow.
///
/// Each decoder says whether positions are in pixels of the model's input or in fractions of it.
package struct DecodedPoint: Sendable, Equatable {
  package var x: Float
  package var y: Float
  /// How sure the model is; nil if it doesn't tell.
  package var score: Float?

  package init(x: Float, y: Float, score: Float? = nil) {
    self.x = x
    self.y = y
    self.score = score
  }
}

/// The points of one person or thing, in the order of the model, and the box around them.
package struct DecodedPose: Sendable, Equatable {
  package var points: [DecodedPoint]
  /// The box and the score of the pose, in the units of the points.
  ///
  /// `source` is the row in the tensor.
  package var box: DecodedBox

  package init(points: [DecodedPoint], box: DecodedBox) {
    self.points = points
    self.box = box
  }

  /// Creates a pose whose box is the smallest one around the points.
  ///
  /// Its score is the mean of the points' scores.
  init(_ points: [DecodedPoint]) {
    self.points = points
    box = DecodedBox(left: .infinity, top: .infinity, right: -.infinity, bottom: -.infinity)
    var sum = 0.0
    for point in points {
      box.left = min(box.left, point.x)
      box.top = min(box.top, point.y)
      box.right = max(box.right, point.x)
      box.bottom = max(box.bottom, point.y)
      sum += Double(point.score ?? 0)
    }
    box.score = Float(sum / Double(points.count))
  }

  /// Whether all numbers are finite.
  var isFinite: Bool {
    let edges = [box.left, box.top, box.right, box.bottom, box.score]
    return edges.allSatisfy(\.isFinite)
      && points.allSatisfy { $0.x.isFinite && $0.y.isFinite && ($0.score ?? 0).isFinite }
  }
}
