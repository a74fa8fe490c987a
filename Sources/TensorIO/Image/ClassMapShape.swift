// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The size of a layer that holds a class for each pixel.
///
/// It describes an output of the type "image" with the format "CLASSES" in model.json.
public struct ClassMapShape: Hashable, Sendable {
  /// The height in pixels.
  public var height: Int
  /// The width in pixels.
  public var width: Int
  /// The number of values in a pixel: a score for each class, or 1 if the value is the class index.
  public var depth: Int
  /// The position of the class axis in the tensor.
  public var layout: ImageShape.Layout

  /// Makes a shape.
  ///
  /// - Parameters:
  ///   - height: The height in pixels.
  ///   - width: The width in pixels.
  ///   - depth: The number of classes with a score, or 1 for class indices.
  ///   - layout: The position of the class axis in the tensor.
  public init(height: Int, width: Int, depth: Int, layout: ImageShape.Layout = .channelsLast) {
    self.height = height
    self.width = width
    self.depth = depth
    self.layout = layout
  }

  /// Whether a pixel has a score for each class instead of a class index.
  package var holdsScores: Bool { depth > 1 }

  /// The lengths of the tensor's axes for one map.
  package var axes: [Int] {
    layout == .channelsLast ? [height, width, depth] : [depth, height, width]
  }

  /// The word that model.json uses for the format.
  package static let formatName = "CLASSES"
}
