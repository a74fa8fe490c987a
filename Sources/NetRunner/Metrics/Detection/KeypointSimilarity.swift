// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

/// COCO's object keypoint similarity (OKS): 1 if all points are exact, close to 0 if they are far
/// away in proportion to the object's size.
struct KeypointSimilarity {
  /// How uncertain people are about each point, as a share of the object's size.
  let sigmas: [Double]

  /// The 17 points of COCO's people.
  private static let person = [
    0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89,
    0.89,
  ].map { $0 / 10 }

  /// Creates the similarity of COCO's people for 17 points.
  ///
  /// For other numbers of points, all have the same weight, as in Ultralytics.
  init(points count: Int) {
    sigmas =
      count == Self.person.count
      ? Self.person : Array(repeating: 1 / Double(max(count, 1)), count: count)
  }

  var isPerson: Bool { sigmas.count == Self.person.count }

  /// The similarity of detected points to an object, from 0 to 1.
  ///
  /// If the object has no labelled points, the distances are those from a box of three times its
  /// width and height.
  func share(_ points: [SIMD2<Double>], _ object: TrueBox) -> Double {
    let box = object.box
    let area = object.area + Double.ulpOfOne
    let first = SIMD2(box.x - box.width, box.y - box.height)
    let last = SIMD2(box.x + 2 * box.width, box.y + 2 * box.height)
    let hasNone = object.points.allSatisfy(\.x.isNaN)
    var sum = 0.0
    var count = 0
    for (index, (point, truth)) in zip(points, object.points).enumerated() {
      var offset: SIMD2<Double> = point - truth
      if hasNone {
        let offsets = (first - point, point - last)
        offset = pointwiseMax(SIMD2(), pointwiseMax(offsets.0, offsets.1))
      } else if truth.x.isNaN {
        continue
      }
      let spread: Double = 4 * sigmas[index] * sigmas[index]
      sum += exp(-(offset * offset).sum() / spread / area / 2)
      count += 1
    }
    return sum / Double(max(count, 1))
  }
}

/// The percentage of correct keypoints (PCK) of all images.
struct CorrectPoints {
  /// The largest distances of correct points, as shares of the longer side of the object's box.
  static let limits = [0.05, 0.1, 0.2]

  /// The number of labelled points of each kind.
  private(set) var labelled: [Int]
  /// The number of correct points, for each limit and kind of point.
  private(set) var right: [[Int]]

  init(points count: Int) {
    labelled = Array(repeating: 0, count: count)
    right = Array(repeating: labelled, count: Self.limits.count)
  }

  /// Adds an image.
  ///
  /// Each object is compared with one detection. The most similar pairs are chosen first, and for
  /// equal similarities those with the better detection. The points of objects without a detection
  /// are wrong.
  mutating func add(_ image: DetectionEvaluation.Image, _ similarity: KeypointSimilarity) {
    let objects = image.objects.filter { !$0.isIgnored }
    var pairs: [(share: Double, detection: Int, object: Int)] = []
    for (object, truth) in objects.enumerated() {
      for index in labelled.indices where !truth.points[index].x.isNaN { labelled[index] += 1 }
      for (index, detection) in image.detections.enumerated() {
        pairs.append((similarity.share(detection.points, truth), index, object))
      }
    }
    pairs.sort { ($1.share, $0.detection, $0.object) < ($0.share, $1.detection, $1.object) }
    var isUsed = Array(repeating: false, count: image.detections.count)
    var isFound = Array(repeating: false, count: objects.count)
    for pair in pairs where !isUsed[pair.detection] && !isFound[pair.object] {
      isUsed[pair.detection] = true
      isFound[pair.object] = true
      let truth = objects[pair.object]
      let length = max(truth.box.width, truth.box.height)
      for (index, point) in truth.points.enumerated() where !point.x.isNaN {
        let offset = image.detections[pair.detection].points[index] - point
        let distance = (offset * offset).sum().squareRoot()
        for (limit, share) in Self.limits.enumerated() where distance <= share * length {
          right[limit][index] += 1
        }
      }
    }
  }

  /// The share of correct points of each kind, or nil where none is labelled.
  func shares(_ limit: Int) -> [Double?] {
    zip(right[limit], labelled).map { $1 > 0 ? Double($0) / Double($1) : nil }
  }

  /// The share of correct points, or nil without labelled ones.
  func share(_ limit: Int) -> Double? {
    let all = labelled.reduce(0, +)
    return all > 0 ? Double(right[limit].reduce(0, +)) / Double(all) : nil
  }
}
