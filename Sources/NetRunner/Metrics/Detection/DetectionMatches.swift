// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The overlaps between all detections and objects of an image.
struct Overlaps {
  let picture: DetectionEvaluation.Picture
  /// The overlap of each detection with each object.
  let shares: [[Double]]

  init(_ picture: DetectionEvaluation.Picture) {
    self.picture = picture
    shares = picture.detections.map { detection in
      picture.objects.map { Self.share(detection.box, $0.box, isCrowd: $0.isCrowd) }
    }
  }

  /// The intersection over union.
  ///
  /// For a crowd, it is the intersection over the detection's own area.
  private static func share(_ found: Box, _ truth: Box, isCrowd: Bool) -> Double {
    let width = min(found.width + found.x, truth.width + truth.x) - max(found.x, truth.x)
    guard width > 0 else { return 0 }
    let height = min(found.height + found.y, truth.height + truth.y) - max(found.y, truth.y)
    guard height > 0 else { return 0 }
    let both = width * height
    let own = found.width * found.height
    return both / (isCrowd ? own : own + truth.width * truth.height - both)
  }
}

/// Matches an image's detections to its objects in an area range.
struct DetectionMatches {
  /// The detections' scores, the highest first.
  let scores: [Double]
  /// Whether each detection matches an object at each threshold.
  ///
  /// Ignored objects are included.
  private(set) var isMatched: [[Bool]] = []
  /// Whether each detection counts as neither right nor wrong at each threshold.
  private(set) var isIgnored: [[Bool]] = []
  /// The number of objects that aren't ignored.
  let objects: Int

  init(_ overlaps: Overlaps, limits: ClosedRange<Double>) {
    let picture = overlaps.picture
    let ignored = picture.objects.map { $0.isCrowd || !limits.contains($0.area) }
    // Ignored objects come last. Apart from that, the order stays the same.
    let order =
      ignored.indices.filter { !ignored[$0] } + ignored.indices.filter { ignored[$0] }
    scores = picture.detections.map(\.score)
    objects = ignored.count { !$0 }
    let isOutside = picture.detections.map { !limits.contains($0.box.width * $0.box.height) }
    for threshold in DetectionEvaluation.thresholds {
      var taken = [Bool](repeating: false, count: picture.objects.count)
      var matched = [Bool](repeating: false, count: scores.count)
      var skipped = isOutside
      for detection in picture.detections.indices {
        var best: Int?
        var share = min(threshold, 1 - 1e-10)
        for object in order {
          if taken[object], !picture.objects[object].isCrowd { continue }
          // A detection that matches a counted object doesn't consider ignored objects.
          if let best, !ignored[best], ignored[object] { break }
          let own = overlaps.shares[detection][object]
          if own < share { continue }
          share = own
          best = object
        }
        guard let best else { continue }
        taken[best] = true
        matched[detection] = true
        skipped[detection] = ignored[best]
      }
      isMatched.append(matched)
      isIgnored.append(skipped)
    }
  }
}
