// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The segments of an image: the objects, and the stuff such as grass, that its pixels show.
public struct GroundTruthSegments: Sendable, Hashable {
  /// The path of an image of the same size whose pixels are numbers of segments.
  ///
  /// The number is red + 256 * green + 65,536 * blue. 0 means that nothing is known of the pixel.
  public var path: String
  /// The image's segments.
  public var segments: [Segment]
  /// The classes of the whole dataset.
  ///
  /// What a model finds of other classes doesn't count.
  public var classes: [Class]

  /// Creates the segments of an image.
  public init(path: String, segments: [Segment], classes: [Class]) {
    self.path = path
    self.segments = segments
    self.classes = classes
  }

  /// A segment of an image.
  public struct Segment: Sendable, Hashable {
    /// The number that the segment's pixels have.
    public var id: Int
    /// The index of the segment's class in the dataset's classes.
    public var classIndex: Int
    /// Whether the segment stands for many objects, so that nothing must match it.
    public var isCrowd: Bool

    /// Creates a segment.
    public init(id: Int, classIndex: Int, isCrowd: Bool = false) {
      self.id = id
      self.classIndex = classIndex
      self.isCrowd = isCrowd
    }
  }

  /// A class of segments.
  public struct Class: Sendable, Hashable {
    /// The class's name.
    public var name: String
    /// Whether each object is a segment of its own.
    ///
    /// Otherwise, the class is stuff, of which an image has at most one segment.
    public var isThing: Bool

    /// Creates a class.
    public init(name: String, isThing: Bool) {
      self.name = name
      self.isThing = isThing
    }
  }
}
