// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct MoveNetDecoderTests {
  /// A row of a pose with one point.
  private func row(_ score: Float, x: Float = 0.5) -> [Float] {
    [0.25, x, 0.9, 0.1, 0.2, 0.3, 0.4, score]
  }

  @Test func `a single pose has a box around its points`() throws {
    let values: [Float] = [0.1, 0.6, 0.5, 0.3, 0.2, 1]
    let poses = try MoveNetDecoder(shape: [1, 1, 2, 3], points: 2).decode(values.span)
    #expect(poses.count == 1)
    #expect(
      poses[0].points == [.init(x: 0.6, y: 0.1, score: 0.5), .init(x: 0.2, y: 0.3, score: 1)])
    #expect(poses[0].box == .init(left: 0.2, top: 0.1, right: 0.6, bottom: 0.3, score: 0.75))
  }

  @Test func `several poses have boxes, and the best come first`() throws {
    let values = row(0.5) + row(0.8, x: 0.7) + row(0.24) + row(0.8) + row(0.25)
    let poses = try MoveNetDecoder(shape: [1, 5, 8], points: 1).decode(values.span)
    #expect(poses.map(\.box.source) == [1, 3, 0, 4])
    #expect(poses[0].points == [DecodedPoint(x: 0.7, y: 0.25, score: 0.9)])
    #expect(
      poses[0].box
        == .init(left: 0.2, top: 0.1, right: 0.4, bottom: 0.3, score: 0.8, source: 1))
    let best = try MoveNetDecoder(shape: [5, 8], points: 1, top: 1).decode(values.span)
    #expect(best == [poses[0]])
  }

  @Test func `poses with undefined numbers are left out`() throws {
    let decoder = try MoveNetDecoder(shape: [2, 8], points: 1)
    let values = row(0.9, x: .nan) + row(0.5)
    #expect(try decoder.decode(values.span).map(\.box.source) == [1])
    let broken = row(0.9, x: .infinity) + row(.nan)
    #expect(throws: DecodingError.self) { try decoder.decode(broken.span) }
    let low = row(0.1) + row(0.2)
    #expect(try decoder.decode(low.span).isEmpty)
  }

  @Test func `COCO's people have 17 points, and lines between them`() {
    #expect(PersonPoints.names.count == 17)
    #expect(Set(PersonPoints.names).count == 17)
    #expect(PersonPoints.skeleton.count == 19)
    let lines = PersonPoints.skeleton.map {
      PersonPoints.names[$0.0] + ", " + PersonPoints.names[$0.1]
    }
    #expect(lines.first == "left ankle, left knee")
    #expect(lines.contains("left shoulder, right shoulder"))
    #expect(lines.last == "right ear, right shoulder")
    #expect(Set(PersonPoints.skeleton.flatMap { [$0.0, $0.1] }) == Set(0..<17))
  }

  @Test(arguments: [
    [], [17], [1, 1, 16, 3], [1, 6, 57], [2, 1, 17, 3], [0, 56], [1, 1, 17, 2], [2, 6, 56],
  ])
  func `a shape that isn't MoveNet's is an error`(shape: [Int]) {
    #expect(throws: DecodingError.self) { try MoveNetDecoder(shape: shape) }
  }

  @Test(arguments: [0, -1, Int.max]) func `an impossible number of points is an error`(count: Int) {
    #expect(throws: DecodingError.self) { try MoveNetDecoder(shape: [1, 3], points: count) }
  }

  @Test func `a tensor of another size is an error`() throws {
    let decoder = try MoveNetDecoder(shape: [1, 6, 56])
    let values = [Float](repeating: 0, count: 335)
    #expect(throws: DecodingError.self) { try decoder.decode(values.span) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `two thousand tensors give the poses of NumPy`() async throws {
    let pairs = try await PointPeer.compare("movenet", count: 2_000) { random in
      let isSingle = random.unit() < 0.5
      let count = random.pick([1, 3, 17])
      let threshold = random.number(0...0.6)
      let top = random.pick([1, 3, 100])
      let rows = isSingle ? 1 : random.pick([1, 6])
      let shape = isSingle ? [1, 1, count, 3] : [1, rows, 3 * count + 5]
      var values = (0..<shape.reduce(1, *)).map { _ in random.unit() }
      if random.unit() < 0.05 { random.spoil(&values, count: 1) }
      let decoder = try MoveNetDecoder(
        shape: shape, points: count, threshold: threshold, top: top)
      return (
        [
          "tensor": .tensor(values, shape), "points": .number(count), "top": .number(top),
          "threshold": .number(Double(threshold)),
        ], try PointPeer.result { try decoder.decode(values.span) }
      )
    }
    var gap = PointGap()
    for (poses, answer) in pairs {
      let boxes = poses.map(\.box).flatMap {
        [$0.left, $0.top, $0.right, $0.bottom, $0.score, Float($0.source)]
      }
      gap.compare(boxes, answer.boxes.map { $0.flatMap(\.self) })
      let points = poses.flatMap(\.points).flatMap { [$0.x, $0.y, $0.score ?? .nan] }
      gap.compare(points, answer.points.map { $0.flatMap(\.self) })
    }
    #expect(gap.count > 5 * pairs.count)
    #expect(gap.absolute <= 1e-6)
  }
}
