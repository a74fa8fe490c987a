// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension BoxSelection {
  /// Suppresses boxes that overlap better ones.
  ///
  /// - Parameters:
  ///   - boxes: Usable boxes, best first.
  ///   - pointsPerBox: The number of points of each box.
  ///   - addPoints: Appends the points of a box, which is given by its index in `boxes`.
  /// - Returns: The boxes that are kept, with their points.
  func suppress(
    _ boxes: [DecodedBox], pointsPerBox: Int, addPoints: (Int, inout [BoxPoint]) -> Void
  ) -> DecodedObjects {
    var result = DecodedObjects(pointsPerBox: pointsPerBox)
    let most = min(max(top, 0), boxes.count)
    result.boxes.reserveCapacity(most)
    result.points.reserveCapacity(most * pointsPerBox)
    if suppression == .weighted {
      var points: [BoxPoint] = []
      points.reserveCapacity(boxes.count * pointsPerBox)
      for index in boxes.indices where pointsPerBox > 0 { addPoints(index, &points) }
      blend(boxes, points, into: &result)
      return result
    }
    var overlaps = Overlaps(boxes, selection: self)
    for index in boxes.indices {
      guard result.boxes.count < most else { break }
      guard !overlaps.isSuppressed(index) else { continue }
      result.boxes.append(boxes[index])
      if pointsPerBox > 0 { addPoints(index, &result.points) }
    }
    return result
  }

  /// Replaces the best box and all that overlap it with their average, until no box is left.
  ///
  /// A box without area doesn't overlap even itself. MediaPipe stops there, but this goes on.
  private func blend(
    _ boxes: [DecodedBox], _ points: [BoxPoint], into result: inout DecodedObjects
  ) {
    var remaining = Array(boxes.indices)
    var group: [Int] = []
    while let first = remaining.first, result.boxes.count < top {
      let best = boxes[first]
      group.removeAll(keepingCapacity: true)
      remaining.removeAll { index in
        let isSimilar = best.overlap(with: boxes[index]) > iou
        if isSimilar { group.append(index) }
        return isSimilar || index == first
      }
      result.boxes.append(best)
      result.points += points[first * result.pointsPerBox..<(first + 1) * result.pointsPerBox]
      result.average(boxes, points, group)
    }
  }
}

extension DecodedObjects {
  /// Replaces the last box and its points with the average of a group, weighted with the scores.
  ///
  /// It stays as it is if the scores can't be weights, because the threshold is below 0.
  fileprivate mutating func average(_ all: [DecodedBox], _ allPoints: [BoxPoint], _ group: [Int]) {
    let total = group.reduce(0) { $0 + Double(all[$1].score) }
    guard total > 0 else { return }
    func average(_ value: (Int) -> Float) -> Float {
      Float(group.reduce(0) { $0 + Double(value($1)) * Double(all[$1].score) } / total)
    }
    let last = boxes.count - 1
    boxes[last].left = average { all[$0].left }
    boxes[last].top = average { all[$0].top }
    boxes[last].right = average { all[$0].right }
    boxes[last].bottom = average { all[$0].bottom }
    for offset in 0..<pointsPerBox {
      let index = last * pointsPerBox + offset
      points[index].x = average { allPoints[$0 * pointsPerBox + offset].x }
      points[index].y = average { allPoints[$0 * pointsPerBox + offset].y }
    }
  }
}
