// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TestSupport
import Testing

/// Random boxes with points, for our selection and others.
private struct SelectionCase: Encodable {
  var kind: String
  var tensor: PeerTensor
  var points: PeerTensor
  var threshold: Float
  var iou: Float
  var suppression: String
  var top: Int
  var candidates: Int
  var selection: BoxSelection
  var boxes: [DecodedBox] = []
  var places: [BoxPoint] = []

  private enum CodingKeys: String, CodingKey {
    case kind, tensor, points, threshold, iou, suppression, top, candidates
  }

  init(
    _ kind: String, seed: Int, count: Int, steps: Float?, modes: [BoxSelection.Suppression],
    isLimited: Bool = true
  ) {
    var random = BoxNumbers(seed: seed)
    self.kind = kind
    selection = random.selection(modes)
    if !isLimited { selection.candidates = 30_000 }
    var values: [Float] = []
    for index in 0..<count {
      let corner = [random.number(0...100), random.number(0...100)]
      var score = random.unit()
      // Few different scores make ties, which are in the order of the boxes.
      if let steps { score = (score * steps).rounded() / steps }
      let row = [
        corner[0], corner[1], corner[0] + random.number(5...60), corner[1] + random.number(5...60),
        score, Float(random.next() % 3),
      ]
      values += row
      boxes.append(
        DecodedBox(
          left: row[0], top: row[1], right: row[2], bottom: row[3], score: row[4],
          classIndex: Int(row[5]), source: index))
      for _ in 0..<2 {
        places.append(BoxPoint(x: random.number(0...100), y: random.number(0...100), score: 1))
      }
    }
    tensor = PeerTensor(values, [count, 6])
    points = PeerTensor(places.flatMap { [$0.x, $0.y, 1] }, [count, 2, 3])
    threshold = selection.threshold
    iou = selection.iou
    suppression = selection.suppression.rawValue
    top = selection.top
    candidates = selection.candidates
  }

  func select() throws -> DecodedObjects {
    try selection.select(boxes, points: places, pointsPerBox: 2)
  }
}

@Suite(.enabled(if: DecoderPeer.isThere, DecoderPeer.reason))
struct BoxSelectionParityTests {
  @Test(arguments: [nil, 7] as [Float?])
  func `a thousand lists give the boxes and points of NumPy`(steps: Float?) async throws {
    let cases = (0..<1_000).map {
      SelectionCase(
        "select", seed: 20_000 + $0, count: 1 + $0 % 80, steps: steps,
        modes: BoxSelection.Suppression.allCases)
    }
    let answers = try await DecoderPeer.answers(cases, as: PeerObjects.self)
    var difference = PeerDifference()
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      difference.compare(try item.select(), answer, "case \(index)")
    }
    difference.expectEqual(of: cases.count)
  }

  @Test func `a thousand lists give the boxes of TensorFlow and OpenCV`() async throws {
    let cases = (0..<1_000).map {
      SelectionCase(
        "libraries", seed: 30_000 + $0, count: 1 + $0 % 80, steps: nil, modes: [.sameClass, .all],
        isLimited: false)
    }
    let answers = try await DecoderPeer.answers(cases, as: [String: [Int]].self)
    var kept = 0
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      let ours = try item.select().boxes.map(\.source)
      for (library, theirs) in answer {
        #expect(ours == theirs, "case \(index), \(library), \(item.suppression)")
      }
      #expect(answer["tensorflow"] != nil)
      kept += ours.count
    }
    #expect(kept > 3_000)
  }
}
