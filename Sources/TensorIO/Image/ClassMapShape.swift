// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The size of a layer that holds a class for each pixel.
///
/// Source: an output of the type "image" with the format "CLASSES" in model.json.
public struct ClassMapShape: Hashable, Sendable {
  /// Rows of pixels.
  public var height: Int
  /// Pixels in a row.
  public var width: Int
  /// Values for a pixel: a score for each class, or 1 where the value is the class's number.
  public var depth: Int
  /// Where the tensor has the axis of the classes.
  public var layout: ImageShape.Layout

  /// Makes a shape.
  ///
  /// - Parameters:
  ///   - height: Rows of pixels.
  ///   - width: Pixels in a row.
  ///   - depth: The number of classes with a score, or 1 for class numbers.
  ///   - layout: Where the tensor has the axis of the classes.
  public init(height: Int, width: Int, depth: Int, layout: ImageShape.Layout = .channelsLast) {
    self.height = height
    self.width = width
    self.depth = depth
    self.layout = layout
  }

  /// Whether a pixel has a score for each class, and not a number.
  public var holdsScores: Bool { depth > 1 }

  /// The lengths of the tensor's axes for one map.
  public var axes: [Int] {
    layout == .channelsLast ? [height, width, depth] : [depth, height, width]
  }

  /// The word that model.json uses for the format.
  package static let formatName = "CLASSES"
}
