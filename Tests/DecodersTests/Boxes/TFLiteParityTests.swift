// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TestSupport
import Testing

/// Encoded boxes for TensorFlow Lite's operator, which share their anchors.
private struct TFLiteCase: Encodable {
  struct Run: Encodable {
    var boxes: PeerTensor
    var scores: PeerTensor
    var values: [[Float]]

    private enum CodingKeys: String, CodingKey { case boxes, scores }
  }

  var kind = "tflite"
  var anchors: PeerTensor
  var columns: Int
  var classes: Int
  var detections = 20
  var perDetection = 1
  var threshold: Float = 0.3
  var iou: Float
  var scale: [Float] = [10, 10, 5, 5]
  var runs: [Run] = []
  var places: [Float]

  private enum CodingKeys: String, CodingKey {
    case kind, anchors, columns, threshold, iou, scale, runs
    case classes = "num_classes"
    case detections = "max_detections"
    case perDetection = "max_classes_per_detection"
  }

  init(seed: Int, hasBackground: Bool, iou: Float) {
    var random = BoxNumbers(seed: seed)
    places = []
    for _ in 0..<50 {
      places += [random.unit(), random.unit(), random.number(0.1...0.4), random.number(0.1...0.4)]
    }
    anchors = PeerTensor(places, [50, 4])
    classes = 3
    columns = hasBackground ? 4 : 3
    self.iou = iou
    for _ in 0..<250 {
      let boxes = (0..<200).map { _ in random.number(-5...5) }
      let scores = (0..<50 * columns).map { _ in random.unit() }
      runs.append(
        Run(
          boxes: PeerTensor(boxes, [50, 4]), scores: PeerTensor(scores, [50, columns]),
          values: [boxes, scores]))
    }
  }
}

/// The four outputs of the operator.
private struct TFLiteAnswer: Decodable {
  struct Run: Decodable {
    var boxes: [Float]
    var classes: [Float]
    var scores: [Float]
    var count: Float
  }

  var runs: [Run]
}

@Suite(.enabled(if: DecoderPeer.isThere, DecoderPeer.reason))
struct TFLiteParityTests {
  @Test func `a thousand tensors give the boxes of TFLite_Detection_PostProcess`() async throws {
    let cases = (0..<4).map {
      TFLiteCase(seed: 9_000 + $0, hasBackground: $0 % 2 == 1, iou: $0 < 2 ? 0.6 : 0.3)
    }
    let answers = try await DecoderPeer.answers(cases, as: TFLiteAnswer.self)
    var boxes = 0
    for (item, answer) in zip(cases, answers) {
      let selection = BoxSelection(
        threshold: item.threshold, iou: item.iou, suppression: .all, top: item.detections)
      let decoder = try SSDDecoder(
        boxShape: [1, 50, 4], scoreShape: [1, 50, item.columns], anchors: BoxAnchors(item.places),
        options: SSDOptions(hasBackground: item.columns > item.classes, activation: .none),
        selection: selection)
      let reader = try PostprocessDecoder(
        boxShape: [1, item.detections, 4],
        selection: BoxSelection(threshold: 0, suppression: .none))
      for (run, theirs) in zip(item.runs, answer.runs) {
        let (encoded, scores) = (run.values[0], run.values[1])
        var ours = try decoder.decode(boxes: encoded.span, scores: scores.span)
        let read = try reader.decode(
          boxes: theirs.boxes.span, classes: theirs.classes.span, scores: theirs.scores.span,
          count: theirs.count)
        for index in ours.boxes.indices { ours.boxes[index].source = index }
        // Both are rounded once from 64 bits, so not even the last bit differs.
        #expect(ours == read)
        boxes += ours.boxes.count
      }
    }
    #expect(boxes > 10_000)
  }
}
