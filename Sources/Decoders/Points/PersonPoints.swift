// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The keypoints of people in the COCO dataset, which most pose models have.
package enum PersonPoints {
  /// The names of the points, in the order of the dataset.
  ///
  /// Left and right are the person's.
  package static let names = [
    "nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder",
    "left elbow", "right elbow", "left wrist", "right wrist", "left hip", "right hip", "left knee",
    "right knee", "left ankle", "right ankle",
  ]

  /// The pairs of points that the dataset connects by lines, as indices from 0.
  package static let skeleton: [(Int, Int)] = [
    (15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8),
    (7, 9), (8, 10), (1, 2), (0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6),
  ]
}
