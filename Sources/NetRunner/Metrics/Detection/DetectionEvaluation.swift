// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Precision and recall of one class over all images.
///
/// The steps are exactly those of COCOeval in pycocotools, because the treatment of ties and the
/// rounding are part of COCO's definition.
struct DetectionEvaluation {
  struct Image {
    /// The detections, with the highest score first.
    var detections: [DetectedBox] = []
    var objects: [TrueBox] = []
  }

  /// Ranges of object areas in pixels.
  enum AreaRange: CaseIterable {
    case all, small, medium, large

    var limits: ClosedRange<Double> {
      switch self {
      case .all: 0...1e10
      case .small: 0...1024
      case .medium: 1024...9216
      case .large: 9216...1e10
      }
    }

    /// Describes such objects in messages.
    var words: String {
      switch self {
      case .all: "a box that isn't a crowd"
      case .small: "an area of up to 32 x 32 pixels"
      case .medium: "an area of 32 x 32 to 96 x 96 pixels"
      case .large: "an area of 96 x 96 pixels or more"
      }
    }
  }

  /// A value for each of ``thresholds``.
  struct Scores {
    /// The mean precision over 101 recall values.
    var precision: [Double]
    var recall: [Double]
  }

  /// The maximum number of detections per class and image.
  static let maximumDetections = 100
  /// The minimum overlaps of matching boxes, from 0.5 to 0.95.
  static let thresholds = evenly(from: 0.5, to: 0.95, count: 10)
  /// The recall values at which precision is sampled.
  static let recalls = evenly(from: 0, to: 1, count: 101)

  private let matches: [AreaRange: [DetectionMatches]]

  /// Matches detections and objects by their boxes, or by their keypoints.
  init(_ images: [Image], keypoints: KeypointSimilarity? = nil) {
    let overlaps = images.map { Overlaps($0, keypoints) }
    matches = Dictionary(
      uniqueKeysWithValues: AreaRange.allCases.map { range in
        (range, overlaps.map { DetectionMatches($0, limits: range.limits) })
      })
  }

  /// The number of objects in an area range.
  func objects(_ range: AreaRange) -> Int {
    matches[range, default: []].reduce(0) { $0 + $1.objects }
  }

  /// The scores of the class, or nil if there are no objects.
  func scores(_ range: AreaRange, most: Int) -> Scores? {
    let images = matches[range, default: []]
    let objects = objects(range)
    guard objects > 0 else { return nil }
    var positions: [(image: Int, position: Int, score: Double)] = []
    for (image, match) in images.enumerated() {
      for (position, score) in match.scores.prefix(most).enumerated() {
        positions.append((image, position, score))
      }
    }
    // For equal scores, earlier images come first, because NumPy's merge sort is stable.
    let order = positions.indices.sorted {
      positions[$0].score != positions[$1].score
        ? positions[$0].score > positions[$1].score : $0 < $1
    }
    var result = Scores(precision: [], recall: [])
    for threshold in Self.thresholds.indices {
      var hits = 0.0
      var misses = 0.0
      var precisions: [Double] = []
      var recalls: [Double] = []
      for index in order {
        let match = images[positions[index].image]
        let position = positions[index].position
        if !match.isIgnored[threshold][position] {
          if match.isMatched[threshold][position] { hits += 1 } else { misses += 1 }
        }
        precisions.append(hits / (misses + hits + Double.ulpOfOne))
        recalls.append(hits / Double(objects))
      }
      result.recall.append(recalls.last ?? 0)
      result.precision.append(Self.meanPrecision(precisions, recalls))
    }
    return result
  }

  /// Evenly spaced numbers, with exactly the same rounding as NumPy's `linspace`.
  private static func evenly(from start: Double, to end: Double, count: Int) -> [Double] {
    let step = (end - start) / Double(count - 1)
    return (0..<(count - 1)).map { Double($0) * step + start } + [end]
  }

  /// The mean over 101 recall values of the best precision at that recall or a higher one, which is
  /// 0 where none is reached.
  private static func meanPrecision(_ precisions: [Double], _ recalls: [Double]) -> Double {
    var precisions = precisions
    for position in precisions.indices.dropFirst().reversed()
    where precisions[position] > precisions[position - 1] {
      precisions[position - 1] = precisions[position]
    }
    var sum = 0.0
    var position = 0
    for recall in Self.recalls {
      while position < recalls.count, recalls[position] < recall { position += 1 }
      guard position < recalls.count else { break }
      sum += precisions[position]
    }
    return sum / Double(Self.recalls.count)
  }
}

/// The overlaps between all detections and objects of an image.
struct Overlaps {
  let image: DetectionEvaluation.Image
  /// The overlap of each detection with each object.
  let shares: [[Double]]

  init(_ image: DetectionEvaluation.Image, _ keypoints: KeypointSimilarity?) {
    self.image = image
    shares = image.detections.map { detection in
      image.objects.map {
        keypoints?.share(detection.points, $0)
          ?? Self.share(detection.box, $0.box, isCrowd: $0.isCrowd)
      }
    }
  }

  /// The intersection over union, or for a crowd over the detection's own area.
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
  /// Whether each detection matches an object, even an ignored one, at each threshold.
  private(set) var isMatched: [[Bool]] = []
  /// Whether each detection counts as neither right nor wrong at each threshold.
  private(set) var isIgnored: [[Bool]] = []
  /// The number of objects that aren't ignored.
  let objects: Int

  init(_ overlaps: Overlaps, limits: ClosedRange<Double>) {
    let image = overlaps.image
    let ignored = image.objects.map { $0.isIgnored || !limits.contains($0.area) }
    // Ignored objects come last. Apart from that, the order stays the same.
    let order =
      ignored.indices.filter { !ignored[$0] } + ignored.indices.filter { ignored[$0] }
    scores = image.detections.map(\.score)
    objects = ignored.count { !$0 }
    let isOutside = image.detections.map { !limits.contains($0.box.width * $0.box.height) }
    for threshold in DetectionEvaluation.thresholds {
      var taken = [Bool](repeating: false, count: image.objects.count)
      var matched = [Bool](repeating: false, count: scores.count)
      var skipped = isOutside
      for detection in image.detections.indices {
        var best: Int?
        var share = min(threshold, 1 - 1e-10)
        for object in order {
          if taken[object], !image.objects[object].isCrowd { continue }
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
