// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import TensorIODecoding

/// The positions were computed by hand from the definitions of the outputs.
@Suite struct PoseDecoderTests {
  private static let photo = PixelBuffer(
    width: 128, height: 64, format: .rgb, bytes: Array(repeating: 90, count: 128 * 64 * 3))

  @Test func `a number of keypoints that no model has is refused`() throws {
    let backend = FixedOutputs(outputs: [("pose", [1, 8, 10], [])])
    let decode = #"{"type": "yolo", "layout": "v8", "keypoints": 2000000000}"#
    let error = #expect(throws: (any Error).self) { try backend.model(decode: decode) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("a whole number from 1 to 1000000"), "\(text)")
  }

  @Test func `MoveNet's keypoints are in pixels of the photo`() throws {
    // Rows of y, x and score. All points are in one place but the nose.
    var points: [Float] = Array(repeating: [0.5, 0.75, 0.8], count: 17).flatMap(\.self)
    points.replaceSubrange(0..<3, with: [0.25, 0.5, 0.97])
    let backend = FixedOutputs(outputs: [("pose", [1, 1, 17, 3], points)])
    let model = try backend.model(decode: #"{"type": "movenet"}"#)
    let pose = try #require(try model.run(Self.photo).objects().first)
    #expect(pose.keypoints?.count == 17)
    #expect(pose.keypoints?[0] == Keypoint(name: "nose", x: 64, y: 16, score: 0.97))
    #expect(pose.keypoints?[16] == Keypoint(name: "right ankle", x: 96, y: 32, score: 0.8))
    #expect(pose.box == Box(x: 64, y: 16, width: 32, height: 16))
    #expect(abs(pose.score - 0.81) < 1e-6)
    #expect(try model.loadSignature().skeleton(of: "pose").count == 19)
  }

  @Test func `a pose below the threshold is left out`() throws {
    let points: [Float] = Array(repeating: [0.5, 0.75, 0.2], count: 17).flatMap(\.self)
    let backend = FixedOutputs(outputs: [("pose", [1, 1, 17, 3], points)])
    #expect(try backend.model(decode: #"{"type": "movenet"}"#).run(Self.photo).objects().isEmpty)
    let model = try backend.model(decode: #"{"type": "movenet", "threshold": 0.1}"#)
    #expect(try model.run(Self.photo).objects().count == 1)
  }

  @Test func `heat maps give the cell with the greatest score`() throws {
    // 4 x 4 cells for 64 x 64 pixels, so a cell is 16 pixels.
    var scores = [Float](repeating: 0, count: 16)
    scores[2 * 4 + 1] = 0.9
    let backend = FixedOutputs(outputs: [("points", [1, 4, 4, 1], scores)])
    let model = try backend.model(
      decode: #"{"type": "heatmaps", "keypoints": ["tip"], "stride": 16}"#)
    let pose = try #require(try model.run(Self.photo).objects().first)
    #expect(pose.keypoints == [Keypoint(name: "tip", x: 32, y: 32, score: 0.9)])
    #expect(pose.label == "pose")
  }

  @Test func `SimCC gives the best column and row`() throws {
    var columns = [Float](repeating: 0, count: 128)
    var rows = columns
    columns[40] = 3
    rows[20] = 2
    let backend = FixedOutputs(outputs: [("x", [1, 1, 128], columns), ("y", [1, 1, 128], rows)])
    let model = try backend.model(decode: #"{"type": "simcc", "y": "y", "split": 2}"#)
    let pose = try #require(try model.run(Self.photo).objects().first)
    #expect(pose.keypoints == [Keypoint(name: "0", x: 40, y: 10, score: 2)])
  }

  @Test func `names that aren't as many as keypoints are an error`() throws {
    let backend = FixedOutputs(outputs: [
      ("points", [1, 4, 4, 2], [Float](repeating: 0, count: 32))
    ])
    let model = try backend.model(decode: #"{"type": "heatmaps", "keypoints": ["tip"]}"#)
    let error = #expect(throws: TensorIOError.self) {
      try model.loadSignature().checkDecoders()
    }
    #expect(error?.message.contains("has 1 name, but the output has 2 keypoints") == true)
  }
}
