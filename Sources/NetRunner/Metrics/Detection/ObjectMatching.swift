// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Assigns an image's detections to its objects, in the way in which people count mistakes.
///
/// The detection with the highest score chooses first. It takes the object that it overlaps most,
/// whatever that object's class, so that a wrong class is a confusion and not two mistakes.
struct ObjectMatching {
  /// What a detection was assigned to.
  enum Assignment: Hashable {
    /// The index of an object.
    case object(Int)
    /// No object: the detection is false.
    case nothing
    /// The detection doesn't count, because its score is low or because it shows a crowd.
    case ignored
  }

  /// The smallest score of a detection that counts.
  static let minimumScore = 0.25
  /// The smallest overlap of boxes, or similarity of keypoints, of a detection and its object.
  static let minimumOverlap = 0.5

  /// The assignment of each detection.
  let assignments: [Assignment]
  /// The index of the detection of each object, or nil for an object without one.
  let detections: [Int?]
  /// For each object, the largest overlap with a detection that counts.
  let overlaps: [Double]

  /// Assigns detections, which have the highest score first, by their boxes or keypoints.
  init(_ image: DetectionEvaluation.Image, keypoints: KeypointSimilarity? = nil) {
    let shares = Overlaps(image, keypoints).shares
    let objects = image.objects
    var owners = [Int?](repeating: nil, count: objects.count)
    assignments = image.detections.enumerated().map { index, detection in
      guard detection.score >= Self.minimumScore else { return .ignored }
      func isSame(_ object: Int) -> Bool { objects[object].category == detection.category }
      let free = objects.indices.filter {
        !objects[$0].isIgnored && owners[$0] == nil && shares[index][$0] >= Self.minimumOverlap
      }
      let best = free.max { left, right in
        let (own, other) = (shares[index][left], shares[index][right])
        if own != other { return own < other }
        return isSame(left) != isSame(right) ? isSame(right) : left > right
      }
      if let best {
        owners[best] = index
        return .object(best)
      }
      let isCrowd = objects.indices.contains {
        objects[$0].isIgnored && isSame($0) && shares[index][$0] >= Self.minimumOverlap
      }
      return isCrowd ? .ignored : .nothing
    }
    detections = owners
    overlaps = objects.indices.map { object in
      image.detections.indices.lazy
        .filter { image.detections[$0].score >= Self.minimumScore }
        .map { shares[$0][object] }.max() ?? 0
    }
  }
}
