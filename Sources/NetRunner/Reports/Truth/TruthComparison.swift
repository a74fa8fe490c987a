// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a model's answer for one image differs from the image's truth.
///
/// Each kind of truth has its own numbers; the others are nil. Objects are counted as in the confusion
/// matrix of detection, with the similarity of keypoints instead of the overlap of boxes if both have
/// keypoints.
public struct TruthComparison: Sendable, Codable, Hashable {
  /// The number of objects that were found with their class.
  public var found: Int?
  /// The number of objects that were found with another class.
  public var confused: Int?
  /// The number of objects that weren't found.
  public var missed: Int?
  /// The number of detections without an object.
  ///
  /// For an image without a truth, it is nil.
  public var extra: Int?
  /// The number of detections with a score that counts.
  public var detections: Int?
  /// The mean over the image's classes of the intersection over union of a class map.
  public var iou: Double?
  /// The mean over the image's objects of the largest similarity (OKS) of their keypoints.
  public var similarity: Double?
  /// The mean of the absolute errors of numbers.
  public var error: Double?
  /// What to draw, for the first images of a report; otherwise nil.
  public var shapes: ComparedShapes?

  private enum CodingKeys: String, CodingKey {
    case found, confused, missed, detections, iou, error, shapes
    case extra = "false"
    case similarity = "oks"
  }

  /// The number of wrong, missing and superfluous objects, or nil without a truth of objects.
  package var mistakes: Int? {
    guard let missed, let confused, let extra else { return nil }
    return missed + confused + extra
  }
}
