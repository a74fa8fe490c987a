// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Foundation
import Testing

@Suite(.enabled(if: PointPeer.isThere, PointPeer.reason))
struct HeatmapParityTests {
  /// Scores of a map: a peak with noise, noise, or few different scores.
  private func scores(
    _ random: inout BoxNumbers, width: Int, height: Int, isLogit: Bool
  ) -> [Float] {
    let center = (random.number(0...Float(width - 1)), random.number(0...Float(height - 1)))
    let slope = random.number(0.1...1)
    let noise: Float = random.pick([0, 0.001, 0.05])
    let kind = random.pick([0, 0, 0, 1, 2])
    return (0..<width * height).map { cell -> Float in
      let value = random.unit()
      if kind == 1 { return isLogit ? 8 * value - 6 : value - 0.2 }
      if kind == 2 { return (3 * value).rounded() }
      let x = Float(cell % width) - center.0
      let y = Float(cell / width) - center.1
      let level: Float = noise * value - slope * (x * x + y * y)
      return isLogit ? level : Float(exp(Double(level)))
    }
  }

  @Test(arguments: HeatmapOptions.Refinement.allCases)
  func `a thousand tensors give the points of NumPy`(
    refinement: HeatmapOptions.Refinement
  ) async throws {
    let pairs = try await PointPeer.compare("heatmaps") { random in
      let options = HeatmapOptions(
        layout: random.pick(HeatmapOptions.Layout.allCases), refinement: refinement,
        stride: random.pick([nil, nil, 4, 7.5]), activation: random.pick([.none, .sigmoid]))
      let (width, height) = (random.pick([1, 4, 9, 16]), random.pick([1, 5, 9, 12]))
      let count = random.pick([1, 2, 3])
      let input = (width: width * random.pick([2, 4, 32]) + 1, height: height * 4 + 1)
      let isLast = options.layout == .channelsLast
      var values: [Float] = []
      for _ in 0..<count {
        values += scores(
          &random, width: width, height: height, isLogit: options.activation == .sigmoid)
      }
      if isLast { values = values.transposed(columns: width * height) }
      if random.unit() < 0.2 { random.spoil(&values, count: random.pick([1, 5])) }
      let shape = isLast ? [height, width, count] : [count, height, width]
      var made: [String: PointInput] = [
        "tensor": .tensor(values, shape), "layout": .text(options.layout.rawValue),
        "refine": .text(refinement.rawValue), "activation": .text(options.activation.rawValue),
        "stride": options.stride.map { .number(Double($0)) } ?? .null,
        "input": .numbers([Double(input.width), Double(input.height)]),
      ]
      var offsets: [Float]?
      var offsetShape = shape
      if refinement == .offsets {
        offsetShape[isLast ? 2 : 0] *= 2
        var shifts = (0..<2 * values.count).map { _ in random.number(-20...20) }
        if random.unit() < 0.2 { random.spoil(&shifts, count: 20) }
        made["offsets"] = .tensor(shifts, offsetShape)
        offsets = shifts
      }
      let decoder = try HeatmapDecoder(
        shape: [1] + shape, offsetShape: offsets.map { _ in offsetShape }, input: input,
        options: options)
      let found = try PointPeer.result {
        guard let offsets else { return try decoder.decode(values.span).points }
        return try decoder.decode(values.span, offsets: offsets.span).points
      }
      return (made, found)
    }
    var places = PointGap()
    var levels = PointGap()
    for (points, answer) in pairs {
      places.compare(
        points.flatMap { [$0.x, $0.y] }, answer.points.map { $0.flatMap { $0.prefix(2) } })
      levels.compare(points.map { $0.score ?? .nan }, answer.points?.map { $0[2] })
    }
    #expect(places.count >= 2 * pairs.count)
    #expect(places.absolute <= 1e-4)
    #expect(levels.relative <= 1e-6)
  }
}
