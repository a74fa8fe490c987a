// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct DepthDecoderTests {
  private func nearness(_ values: [Float], isInverse: Bool = false) throws -> [Float] {
    let decoder = try DepthDecoder(shape: [1, values.count, 1], isInverse: isInverse)
    return try decoder.decode(values.span).nearness()
  }

  @Test func `near pixels are light`() throws {
    let values: [Float] = [2, 6, 3]
    #expect(try nearness(values) == [1, 0, 0.75])
    #expect(try nearness(values, isInverse: true) == [0, 1, 0.25])
  }

  @Test func `pixels without a finite number are black and don't count`() throws {
    let values: [Float] = [.nan, 2, .infinity, 6, -.infinity, 3]
    let depth = try DepthDecoder(shape: [2, 3]).decode(values.span)
    #expect(depth.width == 3)
    #expect(depth.height == 2)
    #expect(depth.minimum == 2)
    #expect(depth.maximum == 6)
    #expect(depth.values.map(\.bitPattern) == values.map(\.bitPattern))
    #expect(depth.nearness() == [0, 1, 0, 0, 0, 0.75])
  }

  @Test func `equal and infinite numbers have a range of 0`() throws {
    #expect(try nearness([5, 5]) == [1, 1])
    #expect(try nearness([5, 5], isInverse: true) == [0, 0])
    let infinite: [Float] = [.infinity, -.infinity, .nan]
    let depth = try DepthDecoder(shape: [1, 3]).decode(infinite.span)
    #expect((depth.minimum, depth.maximum) == (0, 0))
    #expect(depth.nearness() == [0, 0, 0])
  }

  @Test func `the range of huge numbers doesn't overflow`() throws {
    let most = Float.greatestFiniteMagnitude
    #expect(try nearness([-most, 0, most]) == [1, 0.5, 0])
  }

  @Test func `only NaN, other shapes and other sizes are errors`() throws {
    #expect(throws: DecodingError.self) { try nearness([.nan, .nan]) }
    #expect(throws: DecodingError.self) { try DepthDecoder(shape: [3]) }
    #expect(throws: DecodingError.self) { try DepthDecoder(shape: [2, 3, 4]) }
    #expect(throws: DecodingError.self) { try DepthDecoder(shape: [0, 4]) }
    let values: [Float] = [1, 2]
    #expect(throws: DecodingError.self) { try DepthDecoder(shape: [2, 2]).decode(values.span) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand maps give the numbers of NumPy`() async throws {
    let pairs = try await PointPeer.compare("depth") { random in
      let (width, height) = (random.pick([1, 4, 9]), random.pick([1, 5, 8]))
      let isInverse = random.unit() < 0.5
      let range = random.pick(
        [-0.1...10, 1...1, 1e-3...2e-3, -3e38...3e38] as [ClosedRange<Float>])
      // Halves, because the length of the greatest range is infinite.
      var values = (0..<width * height).map { _ in
        random.unit() * range.lowerBound + random.unit() * range.upperBound
      }
      if random.unit() < 0.3 { random.spoil(&values, count: random.pick([1, 100])) }
      let decoder = try DepthDecoder(shape: [1, height, width], isInverse: isInverse)
      return (
        ["tensor": .tensor(values, [height, width]), "inverse": .flag(isInverse)],
        try PointPeer.result { try decoder.decode(values.span) }
      )
    }
    var gap = PointGap()
    for (depth, answer) in pairs {
      gap.compare([depth.minimum, depth.maximum] + depth.nearness(), answer.values)
    }
    #expect(gap.relative <= 1e-6)
  }
}
