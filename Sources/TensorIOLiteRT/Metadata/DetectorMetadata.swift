// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How an object detector of MediaPipe encodes its boxes.
///
/// The numbers of slots are those of object_detector_metadata_schema.fbs, version 1.0.0.
package struct DetectorMetadata: Hashable, Sendable {
  /// Row, column, height and width of each anchor, in fractions of the image.
  package var anchors: [[Float]] = []
  /// The number of keypoints of each box.
  package var points = 0
  /// The index of the first keypoint among the values of a box.
  package var pointOffset = 0
  /// The divisors of row, column, height and width.
  package var scale: [Float] = []
  /// Whether sizes are encoded as logarithms.
  package var isExponential = false
  /// Whether probabilities are the sigmoid of the scores.
  package var hasSigmoid = false
  /// The flatbuffer with all of this.
  private(set) var content: [UInt8] = []

  package init() {}

  init(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) {
    content = Array(bytes)
    var reader = FlatBufferReader(bytes, visits: 300_000)
    let root = try reader.root(identifier: "V001")
    if let options = try reader.table(1, of: root), let list = try reader.table(0, of: options) {
      for anchor in try reader.tables(0, of: list) {
        anchors.append([
          try reader.float(1, of: anchor), try reader.float(0, of: anchor),
          try reader.float(3, of: anchor), try reader.float(2, of: anchor),
        ])
      }
    }
    guard let decoding = try reader.table(2, of: root) else { return }
    points = Int(try reader.integer(4, of: decoding))
    pointOffset = Int(try reader.integer(3, of: decoding))
    for slot in [7, 6, 9, 8] { scale.append(try reader.float(slot, of: decoding)) }
    isExponential = try reader.byte(10, of: decoding) != 0
    hasSigmoid = try reader.byte(11, of: decoding) != 0
  }
}
