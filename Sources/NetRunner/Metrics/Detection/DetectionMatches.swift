// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// How much each detection of a picture overlaps each object.
struct Overlaps {
  let picture: DetectionEvaluation.Picture
  /// For each detection, the share for each object.
  let shares: [[Double]]

  init(_ picture: DetectionEvaluation.Picture) {
    self.picture = picture
    shares = picture.detections.map { detection in
      picture.objects.map { Self.share(detection.box, $0.box, isCrowd: $0.isCrowd) }
    }
  }

  /// Intersection over union; for a crowd, over the detection's own area.
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

/// Which detections of a picture have found an object of a range of areas.
struct DetectionMatches {
  /// The detections' scores, the highest first.
  let scores: [Double]
  /// For each threshold and detection, whether it has found an object, an ignored one among them.
  private(set) var isMatched: [[Bool]] = []
  /// For each threshold and detection, whether it counts neither as right nor as wrong.
  private(set) var isIgnored: [[Bool]] = []
  /// How many objects are looked for.
  let objects: Int

  init(_ overlaps: Overlaps, limits: ClosedRange<Double>) {
    let picture = overlaps.picture
    let ignored = picture.objects.map { $0.isCrowd || !limits.contains($0.area) }
    // Ignored objects come last; among equals the order stays.
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
          // Whoever has found an object that counts does not look at ignored ones.
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
