// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

@testable import NetRunner

/// Images with objects and detections, for our metric and the Python metric.
struct DetectionCase: Encodable {
  struct Object: Encodable {
    var label: String
    var box: [Double]
    var crowd = false
    var area: Double?
  }

  struct Found: Encodable {
    var classIndex: Int
    var score: Double
    var box: [Double]

    private enum CodingKeys: String, CodingKey {
      case score, box
      case classIndex = "class"
    }
  }

  struct Image: Encodable {
    var width: Int
    var height: Int
    var objects: [Object] = []
    /// Nil for an image that failed.
    var detections: [Found]? = []
  }

  var kind = "detection"
  var name: String
  var labels: [String]
  var images: [Image]

  func truth(_ index: Int) -> GroundTruth {
    .boxes(
      images[index].objects.map {
        GroundTruthBox(label: $0.label, box: Box($0.box), isCrowd: $0.crowd, area: $0.area)
      })
  }

  func prediction(_ index: Int) -> Prediction? {
    let image = images[index]
    return image.detections.map { found in
      Prediction(
        detections: found.map {
          Detection(
            classIndex: $0.classIndex, label: labels[$0.classIndex], score: Float($0.score),
            box: Box($0.box))
        }, imageSize: (image.width, image.height))
    }
  }

  func report(_ metric: String = "detection") throws -> MetricReport {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: metric, context: MetricContext(labels: labels)))
    for index in images.indices {
      try accumulator.add(truth(index), prediction(index), at: index)
    }
    return try accumulator.report()
  }
}

extension Box {
  fileprivate init(_ numbers: [Double]) {
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }
}

extension DetectionCase {
  /// Random images.
  ///
  /// `objects` and `extras` are the largest numbers of objects and wrong detections in an image,
  /// `steps` is the number of different scores, and `noise` is how far detections are from their
  /// objects.
  static func random(
    _ name: String, seed: UInt64, classes: Int = 3, images: Int = 12, objects: Int = 8,
    extras: Int = 8, steps: Int = 1000, noise: Double = 0.25, crowds: Double = 0,
    failing: Double = 0, ownAreas: Bool = false
  ) -> Self {
    var random = TestNumbers(seed: seed)
    var result = Self(name: name, labels: (0..<classes).map { "thing \($0)" }, images: [])
    for _ in 0..<images {
      var image = Image(
        width: Int.random(in: 50...640, using: &random),
        height: Int.random(in: 50...480, using: &random))
      var found: [Found] = []
      func shares(_ box: [Double]) -> [Double] {
        zip(box, [image.width, image.height, image.width, image.height]).map {
          $0 / Double($1)
        }
      }
      func score() -> Double {
        // A power of two, so that a Float can hold it.
        (random.unit() * Double(steps)).rounded() / 1024
      }
      func box() -> [Double] {
        let scale = random.unit()
        let width = (random.unit() * scale * Double(image.width)).rounded(.up)
        let height = (random.unit() * scale * Double(image.height)).rounded(.up)
        return [
          (random.unit() * (Double(image.width) - width)).rounded(),
          (random.unit() * (Double(image.height) - height)).rounded(), width, height,
        ]
      }
      for _ in 0..<Int.random(in: 0...objects, using: &random) {
        let number = Int.random(in: 0..<classes, using: &random)
        let place = box()
        image.objects.append(
          Object(
            label: result.labels[number], box: place, crowd: random.unit() < crowds,
            area: ownAreas ? place[2] * place[3] * (0.3 + 0.7 * random.unit()) : nil))
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          let moved = zip(place, [place[2], place[3], place[2], place[3]]).map {
            $0 + $1 * noise * (random.unit() - 0.5)
          }
          found.append(Found(classIndex: number, score: score(), box: shares(moved)))
        }
      }
      for _ in 0..<Int.random(in: 0...extras, using: &random) {
        found.append(
          Found(
            classIndex: Int.random(in: 0..<classes, using: &random), score: score(),
            box: shares(box())))
      }
      found.shuffle(using: &random)
      image.detections = random.unit() < failing ? nil : found
      result.images.append(image)
    }
    return result
  }

  /// Random cases, and those that are easy to get wrong.
  static let all: [Self] = {
    var cases: [Self] = [
      random("usual", seed: 1),
      random("exact boxes", seed: 2, noise: 0),
      random("equal scores", seed: 3, steps: 2),
      random("one score", seed: 4, steps: 0),
      random("crowds", seed: 5, crowds: 0.4),
      random("only crowds", seed: 6, crowds: 1.1),
      random("failures", seed: 7, failing: 0.3),
      random("every image fails", seed: 8, failing: 1.1),
      random("areas of the dataset", seed: 9, crowds: 0.1, ownAreas: true),
      random("more than a hundred detections", seed: 10, classes: 1, images: 3, extras: 500),
      random("no wrong detections", seed: 11, extras: 0),
      random("no objects", seed: 12, objects: 0),
      random("nothing", seed: 13, objects: 0, extras: 0),
      random("one image", seed: 14, classes: 1, images: 1),
      random("twenty classes", seed: 15, classes: 20, images: 30),
      random("many objects", seed: 16, classes: 2, images: 20, objects: 40, crowds: 0.1),
    ]
    var unknown = random("unknown labels", seed: 20)
    for index in unknown.images.indices where !unknown.images[index].objects.isEmpty {
      unknown.images[index].objects[0].label = "stranger \(index % 2)"
    }
    cases.append(unknown)
    var edges = Self(name: "areas at the limits", labels: ["a"], images: [])
    for side in [31.0, 32, 33, 95, 96, 97] {
      let box = [0, 0, side, side]
      edges.images.append(
        Image(
          width: 128, height: 128, objects: [Object(label: "a", box: box)],
          detections: [Found(classIndex: 0, score: 0.5, box: box.map { $0 / 128 })]))
    }
    cases.append(edges)
    return cases
  }()
}
