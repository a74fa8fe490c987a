// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

@testable import NetRunner

/// Images with people and poses, for our metric and pycocotools.
struct KeypointCase: Encodable {
  struct Object: Encodable {
    var box: [Double]
    var area: Double
    var crowd = false
    /// Triples of x, y and v.
    var points: [Double]
  }

  struct Found: Encodable {
    var score: Double
    /// Triples of x and y in fractions of the image's sides, and 1.
    var points: [Double]
  }

  struct Image: Encodable {
    var width: Int
    var height: Int
    var objects: [Object] = []
    /// Nil for an image that failed.
    var detections: [Found]? = []
  }

  var kind = "keypoints"
  var name: String
  var points: Int
  var images: [Image] = []

  func truth(_ index: Int) -> GroundTruth {
    .boxes(
      images[index].objects.map { object in
        var box = GroundTruthBox(
          label: "person",
          box: Box(
            x: object.box[0], y: object.box[1], width: object.box[2], height: object.box[3]),
          isCrowd: object.crowd, area: object.area)
        box.keypoints = (0..<points).map {
          GroundTruthKeypoint(
            name: "\($0)", x: object.points[3 * $0], y: object.points[3 * $0 + 1],
            isLabelled: object.points[3 * $0 + 2] > 0)
        }
        return box
      })
  }

  func prediction(_ index: Int) -> Prediction? {
    let image = images[index]
    return image.detections.map { found in
      Prediction(
        detections: found.map { pose in
          Detection(
            classIndex: 0, label: "pose", score: Float(pose.score),
            box: Box(x: 0, y: 0, width: 1, height: 1),
            keypoints: (0..<points).map {
              Keypoint(name: "\($0)", x: pose.points[3 * $0], y: pose.points[3 * $0 + 1])
            })
        }, imageSize: (image.width, image.height))
    }
  }

  /// The report of all images, merged from the items of two parts.
  func report(_ metric: String = "keypoints") throws -> MetricReport {
    let metric = try MetricRegistry.standard.metric(
      named: metric, context: MetricContext(labels: []))
    var whole = MetricAccumulator(metric)
    for part in 0...1 {
      var accumulator = MetricAccumulator(metric)
      let own = images.indices.filter { $0 % 2 == part }
      for index in own { try accumulator.add(truth(index), prediction(index), at: index) }
      try whole.merge(try accumulator.items(at: own), at: own)
    }
    return try whole.report()
  }
}

extension KeypointCase {
  /// Random images of people with similar poses.
  ///
  /// `objects` and `extras` are the largest numbers of people and wrong poses in an image, `steps`
  /// is the number of different scores, `noise` is how far points are from the true ones, and
  /// `hidden` is the share of points without a position.
  static func random(
    _ name: String, seed: UInt64, points: Int = 17, images: Int = 10, objects: Int = 4,
    extras: Int = 4, noise: Double = 0.2, crowds: Double = 0, failing: Double = 0,
    steps: Double = 1000, hidden: Double = 0.3
  ) -> Self {
    var random = TestNumbers(seed: seed)
    var result = Self(name: name, points: points)
    let shape = (0..<(2 * points)).map { _ in random.unit() }
    for _ in 0..<images {
      let (width, height) = (
        Int.random(in: 60...400, using: &random), Int.random(in: 60...400, using: &random)
      )
      var image = Image(width: width, height: height)
      func box() -> [Double] {
        let scale = 0.1 + 0.9 * random.unit()
        let (w, h) = (scale * random.unit() * Double(width), scale * random.unit() * Double(height))
        return [random.unit() * (Double(width) - w), random.unit() * (Double(height) - h), w, h]
      }
      func pose(_ box: [Double], _ noise: Double) -> [[Double]] {
        (0..<points).map { point in
          (0..<2).map { axis -> Double in
            let share: Double = shape[2 * point + axis] + noise * (random.unit() - 0.5)
            return box[axis] + share * box[2 + axis]
          }
        }
      }
      var found: [Found] = []
      func find(_ box: [Double]) {
        let places = pose(box, noise).flatMap { point -> [Double] in
          [point[0] / Double(width), point[1] / Double(height), 1]
        }
        // A power of two, so that a Float can hold it.
        found.append(Found(score: (random.unit() * steps).rounded() / 1024, points: places))
      }
      for _ in 0..<Int.random(in: 0...objects, using: &random) {
        let place = box()
        let isHidden = random.unit() < hidden / 3
        let triples = pose(place, 0).flatMap { point -> [Double] in
          isHidden || random.unit() < hidden
            ? [0, 0, 0] : point + [Double(Int.random(in: 1...2, using: &random))]
        }
        image.objects.append(
          Object(
            box: place, area: place[2] * place[3] * (0.5 + 0.5 * random.unit()),
            crowd: random.unit() < crowds, points: triples))
        for _ in 0..<Int.random(in: 0...2, using: &random) { find(place) }
      }
      for _ in 0..<Int.random(in: 0...extras, using: &random) { find(box()) }
      found.shuffle(using: &random)
      image.detections = random.unit() < failing ? nil : found
      result.images.append(image)
    }
    return result
  }

  /// Random cases, and those that are easy to get wrong.
  static let all: [Self] = [
    random("usual", seed: 1), random("exact points", seed: 2, noise: 0),
    random("equal scores", seed: 3, steps: 2), random("crowds", seed: 4, crowds: 0.3),
    random("few points", seed: 5, hidden: 0.9), random("no points", seed: 6, hidden: 3),
    random("more than twenty poses", seed: 7, images: 3, extras: 80),
    random("no people", seed: 8, objects: 0), random("no wrong poses", seed: 9, extras: 0),
    random("failures", seed: 10, failing: 0.3), random("every image fails", seed: 11, failing: 2),
    random("one pose", seed: 12, images: 20, objects: 1, extras: 0),
    random("a crowd of people", seed: 13, objects: 12, noise: 0.3, crowds: 0.1),
    random("five points", seed: 14, points: 5), random("one point", seed: 15, points: 1),
    random("nothing", seed: 16, objects: 0, extras: 0),
  ]
}
