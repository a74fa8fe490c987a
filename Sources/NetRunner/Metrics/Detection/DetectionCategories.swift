// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The objects and detections of all images by their classes.
struct DetectionCategories {
  /// A class of the model, or a label that the model doesn't have.
  enum Category: Hashable {
    case known(Int)
    case unknown(String)
  }

  /// The classes of all objects and detections: the model's classes in order, then other labels.
  let all: [Category]
  private let boxes: [Category: [DetectionEvaluation.Image]]

  init(_ items: [DetectionItem], metric: String) throws {
    var boxes: [Category: [DetectionEvaluation.Image]] = [:]
    for item in items {
      let (detections, objects) = try item.contents(metric: metric)
      var image: [Category: DetectionEvaluation.Image] = [:]
      for detection in detections {
        image[.known(detection.category), default: .init()].detections.append(detection)
      }
      for object in objects {
        image[Self.category(object.category, of: item), default: .init()].objects.append(object)
      }
      for (category, part) in image { boxes[category, default: []].append(part) }
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

  /// The class that has a number in an item.
  static func category(_ number: Int, of item: DetectionItem) -> Category {
    number >= 0 ? .known(number) : .unknown(item.unknown[-1 - number])
  }

  var unknown: [String] {
    all.compactMap { category in
      if case .unknown(let label) = category { label } else { nil }
    }
  }

  /// The images that have boxes of a class, in the dataset's order.
  func images(_ category: Category) -> [DetectionEvaluation.Image] {
    boxes[category] ?? []
  }
}
