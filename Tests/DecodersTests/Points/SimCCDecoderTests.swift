// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct SimCCDecoderTests {
  @Test func `a point is at the best column and row, in pixels`() throws {
    let columns: [Float] = [0, 1, 5, 2, -1, -2, -3, -4]
    let rows: [Float] = [0, 0, 3, -9, -7, -8]
    let decoder = try SimCCDecoder(columnShape: [1, 2, 4], rowShape: [1, 2, 3])
    #expect(decoder.count == 2)
    let pose = try decoder.decode(columns: columns.span, rows: rows.span)
    #expect(pose.points[0] == DecodedPoint(x: 1, y: 1, score: 3))
    #expect(pose.points[1] == DecodedPoint(x: 0, y: 0.5, score: -7))
    #expect(pose.box == DecodedBox(left: 0, top: 0.5, right: 1, bottom: 1, score: -2))
  }

  @Test func `NaN never wins, and only NaN is an error`() throws {
    let decoder = try SimCCDecoder(columnShape: [1, 3], rowShape: [1, 2], split: 1)
    let columns: [Float] = [.nan, -2, -1]
    let rows: [Float] = [.nan, .nan]
    let good: [Float] = [.nan, -.infinity]
    let point = try decoder.decode(columns: columns.span, rows: good.span).points[0]
    #expect(point == DecodedPoint(x: 2, y: 1, score: -.infinity))
    let error = #expect(throws: DecodingError.self) {
      try decoder.decode(columns: columns.span, rows: rows.span)
    }
    #expect(error?.message.contains("keypoint 0") == true)
  }

  @Test func `shapes and sizes that don't fit are errors`() throws {
    #expect(throws: DecodingError.self) {
      try SimCCDecoder(columnShape: [2, 4], rowShape: [3, 4])
    }
    #expect(throws: DecodingError.self) { try SimCCDecoder(columnShape: [4], rowShape: [4]) }
    #expect(throws: DecodingError.self) {
      try SimCCDecoder(columnShape: [2, 0], rowShape: [2, 4])
    }
    for split: Float in [0, -2, .nan, .infinity] {
      #expect(throws: DecodingError.self) {
        try SimCCDecoder(columnShape: [2, 4], rowShape: [2, 4], split: split)
      }
    }
    let decoder = try SimCCDecoder(columnShape: [1, 2], rowShape: [1, 3])
    let two: [Float] = [0, 1]
    let three: [Float] = [0, 1, 2]
    #expect(throws: DecodingError.self) { try decoder.decode(columns: two.span, rows: two.span) }
    #expect(throws: DecodingError.self) {
      try decoder.decode(columns: three.span, rows: three.span)
    }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand tensors give the points of NumPy`() async throws {
    let pairs = try await PointPeer.compare("simcc") { random in
      let count = random.pick([1, 2, 17])
      let (width, height) = (random.pick([1, 16, 50]), random.pick([1, 20, 64]))
      let split = random.pick([1, 2, 2.5, 3] as [Float])
      var columns = (0..<count * width).map { _ in random.number(-2...4) }
      let rows = (0..<count * height).map { _ in (4 * random.unit()).rounded() }
      if random.unit() < 0.3 { random.spoil(&columns, count: min(3, width - 1)) }
      let decoder = try SimCCDecoder(
        columnShape: [1, count, width], rowShape: [count, height], split: split)
      return (
        [
          "tensor": .tensor(columns, [count, width]), "y": .tensor(rows, [count, height]),
          "split": .number(Double(split)),
        ], try PointPeer.result { try decoder.decode(columns: columns.span, rows: rows.span) }
      )
    }
    var gap = PointGap()
    for (pose, answer) in pairs {
      gap.compare(
        pose.points.flatMap { [$0.x, $0.y, $0.score ?? .nan] },
        answer.points.map { $0.flatMap(\.self) })
    }
    #expect(gap.count >= 3 * pairs.count)
    #expect(gap.absolute <= 1e-5)
  }
}
