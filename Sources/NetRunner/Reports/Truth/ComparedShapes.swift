// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// The objects of an image and those that a model found in it.
public struct ComparedShapes: Sendable, Codable, Hashable {
  /// The width of the upright image in pixels.
  public var width: Int
  /// The height of the upright image in pixels.
  public var height: Int
  /// The objects of the dataset.
  public var truth: [ComparedObject]
  /// The detections, the highest score first.
  public var predicted: [ComparedObject]
  /// The dataset's class map in the colours of the model's, if the truth is a class map.
  public var truthPicture: ResultPicture?

  /// The most objects and the most detections of an image that are drawn.
  static let maximumCount = 100

  private enum CodingKeys: String, CodingKey {
    case width, height, truth, predicted
    case truthPicture = "truth_picture"
  }

  /// About how many bytes the shapes take in memory.
  package var weight: Int {
    let objects = (truth + predicted).reduce(0) { sum, object in
      sum + 200 + 64 * (object.keypoints?.count ?? 0) + 8 * (object.mask?.runs.count ?? 0)
        + 8 * (object.outline?.reduce(0) { $0 + $1.count } ?? 0)
    }
    return objects + (truthPicture?.address.utf8.count ?? 0)
  }
}

/// An object of the dataset or of a model, and what became of it.
public struct ComparedObject: Sendable, Codable, Hashable {
  /// What became of an object or a detection.
  public enum State: String, Sendable, Codable, Hashable {
    /// The object and a detection of its class belong together.
    case matched
    /// The object and a detection of another class belong together.
    case confused
    /// The object has no detection.
    case missed
    /// The detection has no object.
    case extra = "false"
    /// The object is a crowd, or the detection's score is too low to count.
    case ignored
    /// The image has no truth to compare with.
    case unknown
  }

  /// The name of the class.
  public var label: String
  /// The model's confidence; nil for the dataset's objects.
  public var score: Double?
  /// The box in pixels of the upright image.
  public var box: Box
  /// The angle in radians by which the box is turned clockwise around its centre; nil for 0.
  public var angle: Double?
  /// The keypoints in pixels; nil for those that the dataset doesn't have.
  public var keypoints: [Point?]?
  /// The object's pixels, or nil if they aren't known.
  public var mask: ObjectMask?
  /// The outline of the dataset's object: polygons, each with the x and y of its corners in pixels, in
  /// turn.
  ///
  /// It is nil for detections, and if the dataset has none.
  public var outline: [[Double]]?
  /// What became of it.
  public var state: State
  /// The index of the detection of an object, or of the object of a detection; nil if there is none.
  public var partner: Int?

  /// A keypoint.
  public struct Point: Sendable, Codable, Hashable {
    /// The point's name, or its index as text.
    public var name: String
    /// The column in pixels.
    public var x: Double
    /// The row in pixels.
    public var y: Double
  }
}
