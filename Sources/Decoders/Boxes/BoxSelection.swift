// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Which boxes of a model are kept.
///
/// Scores must be greater than `threshold`. Then non-maximum suppression drops boxes that overlap a
/// better one. Equal scores are in the order of the tensor.
package struct BoxSelection: Sendable, Equatable {
  /// Which boxes a better box suppresses.
  package enum Suppression: String, Sendable, CaseIterable {
    /// Boxes of the same class.
    case sameClass = "class"
    /// All boxes.
    case all
    /// No boxes, for models that suppress boxes themselves.
    case none
    /// All boxes, which are blended into the better box: coordinates and points become averages,
    /// weighted with the scores, as in MediaPipe.
    case weighted
  }

  /// The score that boxes must exceed.
  package var threshold: Float
  /// A box is dropped if its intersection over union with a better box is greater.
  ///
  /// Oriented boxes have the probabilistic IoU, and are dropped if it is greater or equal.
  package var iou: Float
  package var suppression: Suppression
  /// The greatest number of boxes that are kept.
  package var top: Int
  /// The greatest number of boxes that enter suppression.
  package var candidates: Int

  package init(
    threshold: Float = 0.25, iou: Float = 0.45, suppression: Suppression = .sameClass,
    top: Int = 100, candidates: Int = 30_000
  ) {
    self.threshold = threshold
    self.iou = iou
    self.suppression = suppression
    self.top = top
    self.candidates = candidates
  }

  /// Selects boxes from a list.
  ///
  /// Boxes with an infinite or undefined number and those with a negative size are dropped first.
  ///
  /// - Parameters:
  ///   - boxes: Boxes in any order.
  ///   - points: The points of all boxes, in the same order, or none.
  ///   - pointsPerBox: The number of points of each box.
  /// - Returns: The boxes that are kept, with their points.
  /// - Throws: ``DecodingError`` if the number of points doesn't match.
  package func select(
    _ boxes: [DecodedBox], points: [BoxPoint] = [], pointsPerBox: Int = 0
  ) throws -> DecodedObjects {
    let (needed, overflows) = boxes.count.multipliedReportingOverflow(by: pointsPerBox)
    guard pointsPerBox >= 0, !overflows, points.count == needed else {
      throw DecodingError(
        "\(boxes.count) boxes with \(pointsPerBox) points each were announced, but there are "
          + "\(points.count) points.")
    }
    var queue = CandidateQueue(self, count: boxes.count)
    for index in boxes.indices where boxes[index].isUsable {
      queue.add(boxes[index].score, at: index, classIndex: 0)
    }
    let order = queue.sorted()
    return suppress(order.map { boxes[$0.index] }, pointsPerBox: pointsPerBox) { position, list in
      let start = order[position].index * pointsPerBox
      list.append(contentsOf: points[start..<start + pointsPerBox])
    }
  }
}
