// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A picture of a dataset, and what is known about it.
public struct Sample: Sendable {
  /// What identifies it in the dataset, unique there: most often its path, relative to the dataset.
  public var id: String
  /// Where the picture comes from.
  public var source: ImageSource
  /// What a model should find; nil without a label.
  public var truth: GroundTruth?

  /// Makes a sample.
  public init(id: String, source: ImageSource, truth: GroundTruth? = nil) {
    self.id = id
    self.source = source
    self.truth = truth
  }
}

/// What is known about a picture.
public enum GroundTruth: Sendable, Hashable {
  /// The class that it shows: one of the model's labels, or a class's number as text.
  case label(String)
  /// Numbers, in the order of the model's output.
  case values([Double])
  /// The objects in it; none is knowledge, too.
  case boxes([GroundTruthBox])
  /// The path of a picture of the same content whose grey or palette values are classes' numbers.
  case classMap(String)
  /// What a test bundle says, by output, where it is none of the above: metrics of a program's own
  /// read it.
  case results(JSONValue)
}

/// An object in a picture.
public struct GroundTruthBox: Sendable, Hashable, Codable {
  /// The object's class: a label, or a class's number as text.
  public var label: String
  /// Where it is.
  public var box: Box
  /// Whether it stands for many objects (COCO's `iscrowd`), which detections may share.
  public var isCrowd: Bool
  /// The object's area in pixels as the dataset says; nil means the box's.
  public var area: Double?

  /// Makes an object.
  public init(label: String, box: Box, isCrowd: Bool = false, area: Double? = nil) {
    self.label = label
    self.box = box
    self.isCrowd = isCrowd
    self.area = area
  }
}

/// A rectangle, in pixels of the upright picture or in shares of its sides.
public struct Box: Sendable, Hashable, Codable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// From the left edge to the right one.
  public var width: Double
  /// From the upper edge to the lower one.
  public var height: Double

  /// Makes a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
