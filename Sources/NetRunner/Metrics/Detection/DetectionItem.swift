// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The data that the detection metric keeps for an image.
struct DetectionItem: Sendable, Hashable, Codable {
  /// The class, score and box of each detection, of which only those with the highest scores are
  /// kept.
  private var detections = PackedNumbers<Double>([])
  /// The class, box and area of each object, and 1 for a crowd or 0.
  ///
  /// A negative class is a label in `unknown`: -1 for the first one, -2 for the second.
  private var objects = PackedNumbers<Double>([])
  /// The names of the objects' keypoints, if they are compared.
  var pointNames: [String]?
  /// The coordinates of the keypoints of each object and then of each detection.
  ///
  /// Those of points that aren't labelled are NaN.
  private var points: PackedNumbers<Double>?
  /// The labels that aren't classes of the model.
  private(set) var unknown: [String] = []
  /// The labels that were matched by another name of their class.
  ///
  /// Nil, as in reports of older versions, means none.
  var synonyms: [String: Int]?
  var failed = false
  /// The number of detections that were dropped because they have NaN values.
  var dropped = 0

  /// Returns the negative class number of an unknown label.
  mutating func index(ofUnknown label: String) -> Int {
    if let index = unknown.firstIndex(of: label) { return -1 - index }
    unknown.append(label)
    return -unknown.count
  }

  mutating func add(_ object: TrueBox) {
    objects.numbers += [
      Double(object.category), object.box.x, object.box.y, object.box.width, object.box.height,
      object.area, object.isCrowd ? 1 : 0,
    ]
    add(object.points)
  }

  private mutating func add(_ found: [SIMD2<Double>]) {
    guard pointNames != nil else { return }
    points = PackedNumbers((points?.numbers ?? []) + found.flatMap { [$0.x, $0.y] })
  }

  /// Keeps the best detections of each class, sorted by score; ties keep their order.
  mutating func keep(_ found: [(index: Int, detection: DetectedBox)], most: Int) {
    for (_, detection) in Self.ranked(found, most: most) {
      let box = detection.box
      detections.numbers += [
        Double(detection.category), detection.score, box.x, box.y, box.width, box.height,
      ]
      add(detection.points)
    }
  }

  /// The best detections of each class, sorted by score; ties keep their order.
  static func ranked(
    _ found: [(index: Int, detection: DetectedBox)], most: Int
  ) -> [(index: Int, detection: DetectedBox)] {
    let order = found.sorted { left, right in
      left.detection.score != right.detection.score
        ? left.detection.score > right.detection.score : left.index < right.index
    }
    var counts: [Int: Int] = [:]
    return order.filter { _, detection in
      counts[detection.category, default: 0] += 1
      return counts[detection.category, default: 0] <= most
    }
  }

  func contents(metric: String) throws -> (detections: [DetectedBox], objects: [TrueBox]) {
    let found = detections.numbers
    let truths = objects.numbers
    guard found.count.isMultiple(of: 6), truths.count.isMultiple(of: 7) else {
      throw Self.damaged(metric)
    }
    let count = pointNames?.count ?? 0
    let coordinates = points?.numbers ?? []
    let all: Int = found.count / 6 + truths.count / 7
    guard coordinates.count == 2 * count * all else {
      throw Self.damaged(metric)
    }
    func keypoints(_ index: Int) -> [SIMD2<Double>] {
      (0..<count).map { point in
        let at = 2 * (index * count + point)
        return SIMD2(coordinates[at], coordinates[at + 1])
      }
    }
    let boxes = try stride(from: 0, to: found.count, by: 6).map { at in
      guard let category = Int(exactly: found[at]), category >= 0, !found[at + 1].isNaN else {
        throw Self.damaged(metric)
      }
      return DetectedBox(
        category: category, score: found[at + 1],
        box: Box(x: found[at + 2], y: found[at + 3], width: found[at + 4], height: found[at + 5]),
        points: keypoints(truths.count / 7 + at / 6))
    }
    let objects = try stride(from: 0, to: truths.count, by: 7).map { at in
      guard let category = Int(exactly: truths[at]), category >= -unknown.count else {
        throw Self.damaged(metric)
      }
      return TrueBox(
        category: category,
        box: Box(
          x: truths[at + 1], y: truths[at + 2], width: truths[at + 3], height: truths[at + 4]),
        area: truths[at + 5], isCrowd: truths[at + 6] == 1,
        points: keypoints(at / 7))
    }
    return (boxes, objects)
  }

  private static func damaged(_ metric: String) -> TensorIOError {
    TensorIOError(
      .wrongKind, "Metric '\(metric)' was given items that are not its own boxes and classes.")
  }
}

/// A detection in pixels.
struct DetectedBox: Hashable {
  var category: Int
  var score: Double
  var box: Box
  var points: [SIMD2<Double>] = []
}

/// An object in pixels.
struct TrueBox: Hashable {
  var category: Int
  var box: Box
  var area: Double
  var isCrowd: Bool
  /// The keypoints; the coordinates of those that aren't labelled are NaN.
  var points: [SIMD2<Double>] = []

  /// Whether a detection needn't find it.
  var isIgnored: Bool { isCrowd || (!points.isEmpty && points.allSatisfy(\.x.isNaN)) }
}
