// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// The names of a decoder's keypoints, and which of them are connected.
struct PointNames {
  let names: [String]
  let skeleton: [(Int, Int)]

  /// The keypoints of COCO's people.
  private static let person = [
    "nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder",
    "left elbow", "right elbow", "left wrist", "right wrist", "left hip", "right hip", "left knee",
    "right knee", "left ankle", "right ankle",
  ]

  /// The connections of COCO's people.
  private static let limbs = [
    (15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8),
    (7, 9), (8, 10), (1, 2), (0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6),
  ]

  private static let face = [
    "right eye", "left eye", "nose", "mouth", "right ear", "left ear",
  ]

  /// Reads the names, or chooses those of the decoder.
  init(_ options: LayerCoding) {
    let given = options.names("keypoints")
    var isPerson = false
    switch options.type {
    case "blazeface": names = given ?? Self.face
    case "movenet": names = options.texts("keypoints") ?? Self.person
    default:
      // A number of 17 means COCO's keypoints, in the models that this project knows.
      isPerson = options.count("keypoints") == 17
      names = isPerson ? Self.person : given ?? []
    }
    isPerson = isPerson || names == Self.person
    if case .array(let pairs)? = options["skeleton"] {
      skeleton = pairs.compactMap { pair in
        guard case .array(let ends) = pair, ends.count == 2,
          let first = ends[0].asNumber.flatMap({ Int(exactly: $0) }),
          let second = ends[1].asNumber.flatMap({ Int(exactly: $0) })
        else { return nil }
        return (first, second)
      }
    } else {
      skeleton = isPerson ? Self.limbs : []
    }
  }
}

extension ModelSignature {
  /// The pairs of keypoints of an output that are connected by lines.
  package func skeleton(of output: String) -> [(Int, Int)] {
    guard let decoding = self.output(named: output)?.coding else { return [] }
    return PointNames(decoding).skeleton
  }
}

extension TensorSpec {
  /// Whether the output is decoded as objects or poses, which can be drawn.
  package var drawsObjects: Bool {
    switch coding?.type {
    case "tflite-postprocess", "ssd", "blazeface", "yolo", "movenet", "heatmaps", "simcc": true
    default: false
    }
  }
}
