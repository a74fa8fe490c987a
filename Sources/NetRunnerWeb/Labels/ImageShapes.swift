// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// The shapes that people drew on an image.
///
/// Positions are in pixels of the upright image: its EXIF orientation is applied, as browsers and
/// ``InferenceRunner/decoder`` do.
struct ImageShapes: Sendable, Hashable, Codable {
  /// The size of the upright image.
  var width: Int
  var height: Int
  /// The shapes in the order in which they were drawn.
  ///
  /// An empty array says that there is nothing to find in the image.
  var shapes: [LabelledShape]

  /// The maximum number of shapes of an image.
  static let maximumCount = 1000
}

/// A shape with its label.
struct LabelledShape: Sendable, Hashable {
  var label: String
  var outline: Outline

  enum Outline: Sendable, Hashable {
    /// A box: its left and top edges, width and height.
    case box([Double])
    /// The corners of a polygon: x and y of each, one after the other.
    case polygon([Double])
  }

  /// The maximum number of corners of a polygon.
  static let maximumCorners = 5000
  /// The maximum length of a label in bytes.
  static let maximumLabelBytes = 500
}

extension LabelledShape.Outline {
  /// The smallest box around the outline: its left and top edges, width and height.
  var bounds: [Double] {
    switch self {
    case .box(let box): return box
    case .polygon(let corners):
      let xs = stride(from: 0, to: corners.count, by: 2).map { corners[$0] }
      let ys = stride(from: 1, to: corners.count, by: 2).map { corners[$0] }
      let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
      return [left, top, (xs.max() ?? 0) - left, (ys.max() ?? 0) - top]
    }
  }

  /// The area in square pixels, by the shoelace formula for polygons.
  var area: Double {
    switch self {
    case .box(let box): return box[2] * box[3]
    case .polygon(let corners):
      let twice = stride(from: 0, to: corners.count, by: 2).reduce(0.0) { sum, start in
        let next = (start + 2) % corners.count
        return sum + corners[start] * corners[next + 1] - corners[next] * corners[start + 1]
      }
      return abs(twice) / 2
    }
  }

  /// The corners: x and y of each, one after the other.
  var corners: [Double] {
    switch self {
    case .box(let box):
      let (left, top, right, bottom) = (box[0], box[1], box[0] + box[2], box[1] + box[3])
      return [left, top, right, top, right, bottom, left, bottom]
    case .polygon(let corners): return corners
    }
  }
}

extension LabelledShape: Codable {
  private enum CodingKeys: String, CodingKey {
    case label, box, polygon
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    label = try container.decode(String.self, forKey: .label)
    outline =
      if let box = try container.decodeIfPresent([Double].self, forKey: .box) {
        .box(box)
      } else {
        .polygon(try container.decode([Double].self, forKey: .polygon))
      }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(label, forKey: .label)
    switch outline {
    case .box(let box): try container.encode(box, forKey: .box)
    case .polygon(let corners): try container.encode(corners, forKey: .polygon)
    }
  }
}
#endif
