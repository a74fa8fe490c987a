// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TestSupport
import Testing

/// A random tensor of a YOLO model, for our decoder and NumPy's.
private struct YOLOCase: Encodable {
  var kind = "yolo"
  var layout: String
  var points = 0
  var coefficients = 0
  var oriented = false
  var activation = "none"
  var threshold: Float
  var iou: Float
  var suppression: String
  var top: Int
  var candidates: Int
  var tensor: PeerTensor

  /// The same for our decoder.
  var options: YOLOOptions
  var selection: BoxSelection
  var values: [Float]

  private enum CodingKeys: String, CodingKey {
    case kind, layout, points, coefficients, oriented, activation, threshold, iou, suppression
    case top, candidates, tensor
  }

  init(_ layout: YOLOOptions.Layout, seed: Int, isOriented: Bool) {
    var random = BoxNumbers(seed: seed)
    let modes: [BoxSelection.Suppression] = isOriented ? [.sameClass, .all] : .all
    selection = random.selection(modes)
    let classes = random.pick([1, 2, 11])
    options = YOLOOptions(
      layout: layout, classes: layout == .endToEnd ? nil : classes,
      points: isOriented ? 0 : random.pick([0, 0, 3]),
      coefficients: isOriented ? 0 : random.pick([0, 0, 4]), isOriented: isOriented,
      activation: random.pick([.none, .sigmoid]))
    let rows = random.pick([0, 1, 20, 60])
    values = []
    var columns = 0
    for _ in 0..<rows {
      let row = Self.row(&random, options, classes: classes)
      columns = row.count
      values += row
    }
    if rows == 0 { columns = Self.row(&random, options, classes: classes).count }
    if layout == .v8 { values = values.transposed(columns: columns) }
    let shape = layout == .v8 ? [columns, rows] : [rows, columns]
    tensor = PeerTensor(values, shape)
    self.layout = layout.rawValue
    points = options.points
    coefficients = options.coefficients
    oriented = isOriented
    activation = options.activation.rawValue
    threshold = selection.threshold
    iou = selection.iou
    suppression = selection.suppression.rawValue
    top = selection.top
    candidates = selection.candidates
  }

  private static func row(
    _ random: inout BoxNumbers, _ options: YOLOOptions, classes: Int
  ) -> [Float] {
    func score(_ random: inout BoxNumbers) -> Float {
      options.activation == .sigmoid ? random.number(-4...4) : random.unit()
    }
    let center = [random.number(40...100), random.number(40...100)]
    let size = [random.number(10...60), random.number(10...60)]
    var row = center + size
    if options.layout == .endToEnd {
      if !options.isOriented { row = center + [center[0] + size[0], center[1] + size[1]] }
      row += [score(&random), Float(random.next() % UInt64(classes))]
    } else {
      if options.layout == .v5 { row.append(score(&random)) }
      for _ in 0..<classes { row.append(score(&random)) }
    }
    if options.isOriented { row.append(random.number(-1...3)) }
    if random.unit() < 0.05 { random.spoil(&row, count: 1) }
    for _ in 0..<options.points {
      row += [random.number(0...200), random.number(0...200), random.unit()]
    }
    for _ in 0..<options.coefficients { row.append(random.number(-2...2)) }
    return row
  }
}

extension [BoxSelection.Suppression] {
  fileprivate static let all = BoxSelection.Suppression.allCases
}

@Suite(.enabled(if: DecoderPeer.isThere, DecoderPeer.reason))
struct YOLOParityTests {
  @Test(arguments: YOLOOptions.Layout.allCases, [false, true])
  func `a thousand tensors give the boxes of NumPy`(
    layout: YOLOOptions.Layout, isOriented: Bool
  ) async throws {
    let cases = (0..<1_000).map { YOLOCase(layout, seed: 1_000 + $0, isOriented: isOriented) }
    let answers = try await DecoderPeer.answers(cases, as: PeerObjects.self)
    var difference = PeerDifference()
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      let decoder = try YOLODecoder(
        shape: [1] + item.tensor.shape, options: item.options, selection: item.selection)
      let objects = try decoder.decode(item.values.span)
      difference.compare(objects, answer, "case \(index)")
      guard !answer.isClose else { continue }
      let coefficients = try objects.boxes.flatMap {
        try decoder.coefficients(of: $0, in: item.values.span)
      }
      #expect(coefficients.map(Double.init) == answer.coefficients)
    }
    difference.expectEqual(of: cases.count)
  }
}
