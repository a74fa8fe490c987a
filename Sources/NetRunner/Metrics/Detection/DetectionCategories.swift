// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The boxes of all images, grouped by class.
struct DetectionCategories {
  /// A class of the model, or a label that the model doesn't have.
  enum Category: Hashable {
    case known(Int)
    case unknown(String)
  }

  /// The classes of all objects and detections: the model's classes in order, then other labels.
  let all: [Category]
  private let boxes: [Category: [DetectionEvaluation.Picture]]

  init(_ items: [DetectionItem], metric: String) throws {
    var boxes: [Category: [DetectionEvaluation.Picture]] = [:]
    for item in items {
      let (detections, objects) = try item.contents(metric: metric)
      var picture: [Category: DetectionEvaluation.Picture] = [:]
      for detection in detections {
        picture[.known(detection.category), default: .init()].detections.append(detection)
      }
      for object in objects {
        let category: Category =
          object.category >= 0
          ? .known(object.category) : .unknown(item.unknown[-1 - object.category])
        picture[category, default: .init()].objects.append(object)
      }
      for (category, part) in picture { boxes[category, default: []].append(part) }
    }
    self.boxes = boxes
    all = boxes.keys.sorted { left, right in
      switch (left, right) {
      case (.known(let left), .known(let right)): left < right
      case (.unknown(let left), .unknown(let right)): left < right
      case (.known, .unknown): true
      case (.unknown, .known): false
      }
    }
  }

  /// The labels that aren't classes of the model.
  var unknown: [String] {
    all.compactMap { category in
      if case .unknown(let label) = category { label } else { nil }
    }
  }

  /// The images that have boxes of a class, in the dataset's order.
  func pictures(_ category: Category) -> [DetectionEvaluation.Picture] {
    boxes[category] ?? []
  }
}
