// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// Boxes and polygons as COCO annotations, which `tensorio evaluate` and pycocotools read.
struct COCOExport: Encodable {
  private var info = Info()
  private var images: [Image] = []
  private var annotations: [Annotation] = []
  private var categories: [Category] = []

  private struct Info: Encodable {
    var description = "Labelled with Net Runner"
  }

  private struct Image: Encodable {
    var id: Int
    var fileName: String
    var width: Int
    var height: Int

    private enum CodingKeys: String, CodingKey {
      case id, width, height
      case fileName = "file_name"
    }
  }

  private struct Annotation: Encodable {
    var id: Int
    var imageID: Int
    var categoryID: Int
    var bbox: [Double]
    var area: Double
    var segmentation: [[Double]]
    var isCrowd = 0

    private enum CodingKeys: String, CodingKey {
      case id, bbox, area, segmentation
      case imageID = "image_id"
      case categoryID = "category_id"
      case isCrowd = "iscrowd"
    }
  }

  private struct Category: Encodable {
    var id: Int
    var name: String
  }

  /// Makes the annotations of images.
  ///
  /// A category is a label that occurs. Its identifier is its place among the model's labels,
  /// counted from 1, so that it is the same in every export. Other labels follow.
  init(_ photos: [(name: String, shapes: ImageShapes)], labels: [String]) {
    let used = Set(photos.flatMap { $0.shapes.shapes.map(\.label) })
    var ids: [String: Int] = [:]
    for (index, label) in labels.enumerated() where used.contains(label) && ids[label] == nil {
      ids[label] = index + 1
    }
    for (index, label) in used.subtracting(ids.keys).sorted().enumerated() {
      ids[label] = labels.count + index + 1
    }
    categories = ids.map { Category(id: $0.value, name: $0.key) }.sorted { $0.id < $1.id }
    for (index, photo) in photos.enumerated() {
      images.append(
        Image(
          id: index + 1, fileName: photo.name, width: photo.shapes.width,
          height: photo.shapes.height))
      for shape in photo.shapes.shapes {
        annotations.append(
          Annotation(
            id: annotations.count + 1, imageID: index + 1, categoryID: ids[shape.label] ?? 0,
            bbox: shape.outline.bounds, area: shape.outline.area,
            segmentation: [shape.outline.corners]))
      }
    }
  }
}
#endif
