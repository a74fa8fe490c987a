// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// What is known about an image.
public enum GroundTruth: Sendable, Hashable {
  /// The image's class: one of the model's labels, or the number of a class as text.
  case label(String)
  /// Whether the sample is an anomaly, and the name of the machine that it belongs to.
  ///
  /// Scores of different machines aren't compared. The name is empty if there is only one.
  case anomaly(Bool, machine: String)
  /// Numbers, in the order of the model's output.
  case values([Double])
  /// The objects in the image.
  ///
  /// An empty array means that there are none.
  case boxes([GroundTruthBox])
  /// The path of a class map.
  ///
  /// A class map is an image of the same content whose grey or palette values are the numbers of
  /// classes.
  case classMap(String)
  /// The segments of things and stuff, for panoptic quality.
  case segments(GroundTruthSegments)
  /// A test bundle's expected results by output, if none of the other cases fits.
  ///
  /// Only metrics that a program registers read them.
  case results(JSONValue)
}

/// An object in an image.
public struct GroundTruthBox: Sendable, Hashable, Codable {
  /// The object's class: a label, or the number of a class as text.
  public var label: String
  /// The object's box.
  public var box: Box
  /// Whether the box stands for many objects (COCO's `iscrowd`), so that several detections can
  /// match it.
  public var isCrowd: Bool
  /// The object's area in pixels according to the dataset.
  ///
  /// If nil, the area of the box is used.
  public var area: Double?
  /// The object's keypoints, in the dataset's order, or nil if the dataset has none of this class.
  public var keypoints: [GroundTruthKeypoint]?
  /// The object's outline: polygons, each with the x and y of its corners in pixels, in turn.
  ///
  /// It is only drawn. It is nil if the dataset has no polygons of the object.
  public var outline: [[Double]]?

  /// Creates an object.
  public init(label: String, box: Box, isCrowd: Bool = false, area: Double? = nil) {
    self.label = label
    self.box = box
    self.isCrowd = isCrowd
    self.area = area
  }
}

/// A point of an object in an image, such as an eye or an elbow.
public struct GroundTruthKeypoint: Sendable, Hashable, Codable {
  /// The point's name, or its index as text if the dataset doesn't name the points.
  public var name: String
  /// The column in pixels.
  public var x: Double
  /// The row in pixels.
  public var y: Double
  /// Whether the dataset has the point's position, even if something hides the point (COCO's `v` is
  /// 1 or 2).
  ///
  /// Other points don't count.
  public var isLabelled: Bool

  /// Creates a point.
  public init(name: String, x: Double, y: Double, isLabelled: Bool = true) {
    self.name = name
    self.x = x
    self.y = y
    self.isLabelled = isLabelled
  }
}
