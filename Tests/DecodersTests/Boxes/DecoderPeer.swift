// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Foundation
import TestSupport
import Testing

/// Runs other implementations of the decoders with Tools/peers/decoders.py.
enum DecoderPeer {
  static let isThere = Python.path != nil
  static let reason: Comment =
    "TENSORIO_PYTHON isn't set; the test needs NumPy, TensorFlow and ai-edge-litert."

  /// Returns the result of each case.
  static func answers<Answer: Decodable>(
    _ cases: [some Encodable], as type: Answer.Type = Answer.self
  ) async throws -> [Answer] {
    let output = try await Python.compute(
      ["Tools/peers/decoders.py"], input: JSONEncoder().encode(cases))
    return try JSONDecoder().decode([Answer].self, from: Data(output.utf8))
  }
}

/// A tensor in JSON, without rounding.
struct PeerTensor: Encodable {
  var shape: [Int]
  var data: String

  init(_ values: [Float], _ shape: [Int]) {
    self.shape = shape
    let bytes = values.flatMap { value in
      withUnsafeBytes(of: value.bitPattern.littleEndian) { [UInt8]($0) }
    }
    data = Data(bytes).base64EncodedString()
  }
}

/// The objects that NumPy finds.
struct PeerObjects: Decodable {
  /// Rows of left, top, right, bottom, score, class, row in the tensor and angle.
  var boxes: [[Double]]
  var points: [[Double]]
  /// How close a decision was.
  var margin: Double
  var coefficients: [Double]?

  /// Whether NumPy could decide otherwise because of rounding.
  var isClose: Bool { margin < 2e-6 }
}

/// The largest differences between our objects and NumPy's.
struct PeerDifference {
  /// The cases that were compared.
  var cases = 0
  /// The boxes that were compared.
  var boxes = 0
  /// The greatest difference of 1 and an intersection over union.
  var overlap = 0.0
  /// The greatest difference of a score.
  var score = 0.0
  /// The greatest difference of a point.
  var point = 0.0

  /// Compares objects; a difference in number, class or row is an issue.
  mutating func compare(
    _ objects: DecodedObjects, _ peer: PeerObjects, _ name: @autoclosure () -> String
  ) {
    guard !peer.isClose else { return }
    cases += 1
    let rows = objects.boxes.map { [$0.classIndex, $0.source] }
    let peerRows = peer.boxes.map { [Int($0[5]), Int($0[6])] }
    guard rows == peerRows, objects.points.count == peer.points.count else {
      Issue.record("\(name()): \(rows) isn't \(peerRows), margin \(peer.margin)")
      return
    }
    for (box, row) in zip(objects.boxes, peer.boxes) {
      boxes += 1
      overlap = max(overlap, 1 - Self.share(box, row))
      score = max(score, abs(Double(box.score) - row[4]))
      score = max(score, abs(Double(box.angle ?? 0) - row[7]))
    }
    for (ours, theirs) in zip(objects.points, peer.points) {
      point = max(point, abs(Double(ours.x) - theirs[0]), abs(Double(ours.y) - theirs[1]))
      score = max(score, abs(Double(ours.score ?? -1) - theirs[2]))
    }
  }

  private static func share(_ box: DecodedBox, _ row: [Double]) -> Double {
    let own = [box.left, box.top, box.right, box.bottom].map(Double.init)
    func area(_ box: [Double]) -> Double { (box[2] - box[0]) * (box[3] - box[1]) }
    let common = [
      max(own[0], row[0]), max(own[1], row[1]), min(own[2], row[2]), min(own[3], row[3]),
    ]
    guard common[2] > common[0], common[3] > common[1] else {
      return own == Array(row[..<4]) ? 1 : 0
    }
    return area(common) / (area(own) + area(row) - area(common))
  }

  /// Expects that nearly all cases were clear, that boxes were found, and that they are equal.
  func expectEqual(
    of count: Int, within tolerance: Double = 2e-6,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(Double(cases) >= 0.95 * Double(count), sourceLocation: sourceLocation)
    #expect(boxes > count, sourceLocation: sourceLocation)
    #expect(overlap <= tolerance, sourceLocation: sourceLocation)
    #expect(score <= 1e-6, sourceLocation: sourceLocation)
    #expect(point <= 1e-4, sourceLocation: sourceLocation)
  }
}
