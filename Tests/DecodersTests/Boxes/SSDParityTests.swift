// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TestSupport
import Testing

/// Random tensors of a single-shot detector, for our decoder and NumPy's.
private struct SSDCase: Encodable {
  var kind = "ssd"
  var tensor: PeerTensor
  var scores: PeerTensor
  var anchors: PeerTensor
  var scale: [Float]
  var order: String
  var exponential: Bool
  var background: Bool
  var activation: String
  var points: Int
  var threshold: Float
  var iou: Float
  var suppression: String
  var top: Int
  var candidates: Int

  /// The same for our decoder.
  var options: SSDOptions
  var selection: BoxSelection
  var values: [[Float]]

  private enum CodingKeys: String, CodingKey {
    case kind, tensor, scores, anchors, scale, order, exponential, background, activation, points
    case threshold, iou, suppression, top, candidates
  }

  init(seed: Int, isBlazeFace: Bool) {
    var random = BoxNumbers(seed: seed)
    let count = random.pick([1, 25, 60])
    let classes = isBlazeFace ? 1 : random.pick([1, 2, 6])
    selection = isBlazeFace ? .blazeFace : random.selection(BoxSelection.Suppression.allCases)
    options = .blazeFace(inputSize: 128)
    if !isBlazeFace {
      options = SSDOptions(
        order: random.pick([.yxhw, .xywh]), scale: [10, 12, 5, 4],
        isExponential: random.pick([true, false]), hasBackground: random.pick([true, false]),
        activation: random.pick(BoxActivation.allCases), points: random.pick([0, 0, 2]))
    }
    var boxes: [Float] = []
    var numbers: [Float] = []
    var places: [Float] = []
    for _ in 0..<count {
      let size: ClosedRange<Float> = isBlazeFace ? -10...80 : options.isExponential ? -3...3 : 0...3
      var row = (0..<2).map { _ in random.number(isBlazeFace ? -30...30 : -3...3) }
      row += (0..<2).map { _ in random.number(size) }
      let plain = options.activation == .none
      var own = (0..<classes + (options.hasBackground ? 1 : 0)).map { _ in
        plain ? random.unit() : random.number(-4...4)
      }
      if random.unit() < 0.03 { random.spoil(&row, count: 1) }
      if random.unit() < 0.03 { random.spoil(&own, count: 1) }
      row += (0..<2 * options.points).map { _ in random.number(-30...30) }
      row.append(99)  // Decoders ignore further values.
      boxes += row
      numbers += own
      places += [random.unit(), random.unit()]
      places += isBlazeFace ? [1, 1] : [random.number(0.1...0.5), random.number(0.1...0.5)]
    }
    values = [boxes, numbers, places]
    tensor = PeerTensor(boxes, [count, boxes.count / count])
    scores = PeerTensor(numbers, [count, numbers.count / count])
    anchors = PeerTensor(places, [count, 4])
    scale = options.scale
    order = options.order.rawValue
    exponential = options.isExponential
    background = options.hasBackground
    activation = options.activation.rawValue
    points = options.points
    threshold = selection.threshold
    iou = selection.iou
    suppression = selection.suppression.rawValue
    top = selection.top
    candidates = selection.candidates
  }
}

/// Boxes as TensorFlow Lite returns them, for our decoder and NumPy's.
private struct PostprocessCase: Encodable {
  var kind = "postprocess"
  var tensor: PeerTensor
  var classes: PeerTensor
  var scores: PeerTensor
  var count: Float
  var threshold: Float
  var iou: Float
  var suppression: String
  var top: Int
  var candidates: Int
  var selection: BoxSelection
  var values: [[Float]]

  private enum CodingKeys: String, CodingKey {
    case kind, tensor, classes, scores, count, threshold, iou, suppression, top, candidates
  }

  init(seed: Int) {
    var random = BoxNumbers(seed: seed)
    selection = random.selection([.none, .sameClass, .all, .weighted])
    var boxes: [Float] = []
    for _ in 0..<40 {
      let corner = [random.number(0...0.5), random.number(0...0.5)]
      boxes += corner + [corner[0] + random.number(0...0.5), corner[1] + random.number(0...0.5)]
    }
    var numbers = (0..<40).map { _ in Float(random.next() % 4) }
    var scores = (0..<40).map { _ in random.unit() }
    random.spoil(&boxes, count: 2)
    random.spoil(&numbers, count: 1)
    random.spoil(&scores, count: 1)
    values = [boxes, numbers, scores]
    tensor = PeerTensor(boxes, [40, 4])
    classes = PeerTensor(numbers, [40])
    self.scores = PeerTensor(scores, [40])
    count = random.pick([0, 1, 25, 40])
    threshold = selection.threshold
    iou = selection.iou
    suppression = selection.suppression.rawValue
    top = selection.top
    candidates = selection.candidates
  }
}

@Suite(.enabled(if: DecoderPeer.isThere, DecoderPeer.reason))
struct SSDParityTests {
  @Test(arguments: [false, true])
  func `a thousand tensors give the boxes of NumPy`(isBlazeFace: Bool) async throws {
    let cases = (0..<1_000).map { SSDCase(seed: 5_000 + $0, isBlazeFace: isBlazeFace) }
    let answers = try await DecoderPeer.answers(cases, as: PeerObjects.self)
    var difference = PeerDifference()
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      let decoder = try SSDDecoder(
        boxShape: [1] + item.tensor.shape, scoreShape: [1] + item.scores.shape,
        anchors: BoxAnchors(item.values[2]), options: item.options, selection: item.selection)
      let (boxes, scores) = (item.values[0], item.values[1])
      let objects = try decoder.decode(boxes: boxes.span, scores: scores.span)
      difference.compare(objects, answer, "case \(index)")
    }
    difference.expectEqual(of: cases.count)
  }

  @Test func `a thousand outputs of TensorFlow Lite give the boxes of NumPy`() async throws {
    let cases = (0..<1_000).map { PostprocessCase(seed: 7_000 + $0) }
    let answers = try await DecoderPeer.answers(cases, as: PeerObjects.self)
    var difference = PeerDifference()
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      let decoder = try PostprocessDecoder(boxShape: [1, 40, 4], selection: item.selection)
      let (boxes, classes, scores) = (item.values[0], item.values[1], item.values[2])
      let objects = try decoder.decode(
        boxes: boxes.span, classes: classes.span, scores: scores.span, count: item.count)
      difference.compare(objects, answer, "case \(index)")
    }
    difference.expectEqual(of: cases.count)
  }
}
