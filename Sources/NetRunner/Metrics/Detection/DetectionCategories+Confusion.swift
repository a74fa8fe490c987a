// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension DetectionCategories {
  /// The name of the last row and column of a confusion matrix.
  static let background = "background"

  /// Counts objects and detections for each pair of a true and a predicted class.
  ///
  /// The last row has the detections without an object, and the last column the objects without a
  /// detection. The objects of images that failed are counted separately.
  ///
  /// - Parameters:
  ///   - items: The images.
  ///   - metric: The name of the metric, for errors.
  ///   - name: Returns the name of a class.
  /// - Returns: The matrix of the classes that occur, or nil if there are none.
  /// - Throws: `TensorIOError` if an item is damaged.
  func confusion(
    _ items: [DetectionItem], metric: String, name: (Category) -> String
  ) throws -> ConfusionMatrix? {
    let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
    let background = all.count
    var counts = Array(repeating: Array(repeating: 0, count: background + 1), count: background + 1)
    var failed = Array(repeating: 0, count: background + 1)
    for item in items {
      let (detections, objects) = try item.contents(metric: metric)
      func place(_ number: Int) -> Int {
        places[Self.category(number, of: item)] ?? background
      }
      let matching = ObjectMatching(.init(detections: detections, objects: objects))
      for (object, detection) in zip(objects, matching.detections) where !object.isIgnored {
        let row = place(object.category)
        if item.failed {
          failed[row] += 1
        } else if let detection {
          counts[row][place(detections[detection].category)] += 1
        } else {
          counts[row][background] += 1
        }
      }
      for (detection, assignment) in zip(detections, matching.assignments)
      where assignment == .nothing {
        counts[background][place(detection.category)] += 1
      }
    }
    let used = all.indices.filter { place in
      failed[place] > 0 || counts[place].contains { $0 > 0 } || counts.contains { $0[place] > 0 }
    }
    guard !used.isEmpty else { return nil }
    let kept = used + [background]
    return ConfusionMatrix(
      labels: used.map { name(all[$0]) } + [Self.background],
      counts: kept.map { row in kept.map { counts[row][$0] } }, failed: kept.map { failed[$0] })
  }
}

extension ConfusionMatrix {
  /// Whether the matrix counts objects and not images.
  var isOfObjects: Bool { labels.last == DetectionCategories.background }
}
