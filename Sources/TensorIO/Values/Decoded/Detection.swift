// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An object that a model found in an image, or a person whose pose it found.
///
/// ```swift
/// for face in try outputs.objects("faces") {
///   print(face.label, face.score, face.box, face.keypoints ?? [])
/// }
/// ```
public struct Detection: Sendable, Hashable, Codable {
  /// The index of the class in the model's labels, from 0.
  public var classIndex: Int
  /// The name of the class, or its index as text if the model has no labels.
  public var label: String
  /// The model's confidence.
  public var score: Float
  /// The object's box.
  ///
  /// For a pose without a box of its own, it is the smallest one around the keypoints.
  public var box: Box
  /// The angle by which the box is turned around its centre, in radians, clockwise; nil for an
  /// upright box.
  public var angle: Double?
  /// The object's keypoints, in the order of model.json; nil if the model finds none.
  public var keypoints: [Keypoint]?
  /// The object's pixels; nil if the model finds none.
  public var mask: ObjectMask?

  /// Makes a detection.
  public init(
    classIndex: Int, label: String, score: Float, box: Box, angle: Double? = nil,
    keypoints: [Keypoint]? = nil, mask: ObjectMask? = nil
  ) {
    self.classIndex = classIndex
    self.label = label
    self.score = score
    self.box = box
    self.angle = angle
    self.keypoints = keypoints
    self.mask = mask
  }
}

/// A rectangle, in pixels of the upright image or in fractions of its sides.
public struct Box: Sendable, Hashable, Codable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// The distance from the left edge to the right edge.
  public var width: Double
  /// The distance from the upper edge to the lower edge.
  public var height: Double

  /// Creates a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// A point that a model found, such as an eye or an elbow.
public struct Keypoint: Sendable, Hashable, Codable {
  /// The point's name, or its index as text if model.json doesn't name the points.
  public var name: String
  /// The column, in the same unit as the object's box.
  public var x: Double
  /// The row, in the same unit as the object's box.
  public var y: Double
  /// The model's confidence; nil if it gives none.
  public var score: Float?

  /// Makes a point.
  public init(name: String, x: Double, y: Double, score: Float? = nil) {
    self.name = name
    self.x = x
    self.y = y
    self.score = score
  }
}

/// The pixels of an image that belong to an object, within a rectangle of whole pixels.
public struct ObjectMask: Sendable, Hashable, Codable {
  /// The column of the rectangle's left edge in the upright image.
  public var x: Int
  /// The row of the rectangle's upper edge in the upright image.
  public var y: Int
  /// The rectangle's width in pixels.
  public var width: Int
  /// The rectangle's height in pixels.
  public var height: Int
  /// The lengths of runs of pixels, row after row, of which the first, third and so on are outside
  /// the object.
  public var runs: [Int]

  /// Makes a mask from one value for each pixel, row after row.
  public init(x: Int, y: Int, width: Int, height: Int, pixels: [Bool]) {
    precondition(
      pixels.count == width * height,
      "A mask of \(width) x \(height) takes \(width * height) pixels, got \(pixels.count).")
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    runs = []
    var (current, length) = (false, 0)
    for pixel in pixels {
      if pixel != current {
        runs.append(length)
        (current, length) = (pixel, 0)
      }
      length += 1
    }
    runs.append(length)
  }

  /// The number of pixels of the object.
  public var area: Int {
    stride(from: 1, to: runs.count, by: 2).reduce(0) { $0 + runs[$1] }
  }
}
