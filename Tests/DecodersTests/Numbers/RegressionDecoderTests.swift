// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct RegressionDecoderTests {
  @Test func `numbers have names, units, factors and biases`() throws {
    let values: [Float] = [1.75, 2]
    let decoder = try RegressionDecoder(
      shape: [1, 2], names: ["height", "count"], units: ["cm", ""], scale: [100, 1],
      bias: [0.5, -1])
    #expect(
      try decoder.decode(values.span) == [
        DecodedNumber(name: "height", value: 175.5, unit: "cm"),
        DecodedNumber(name: "count", value: 1),
      ])
    let plain = try RegressionDecoder(shape: [2]).decode(values.span)
    #expect(plain == [DecodedNumber(value: 1.75), DecodedNumber(value: 2)])
  }

  @Test func `a single number needs no axis`() throws {
    let values: [Float] = [7]
    #expect(try RegressionDecoder(shape: []).decode(values.span).map(\.value) == [7])
  }

  @Test func `some NaN stays NaN, and only NaN is an error`() throws {
    let some: [Float] = [.nan, 3]
    let all: [Float] = [.nan, .nan]
    let decoder = try RegressionDecoder(shape: [2], scale: [2, 2])
    let found = try decoder.decode(some.span)
    #expect(found[0].value.isNaN)
    #expect(found[1].value == 6)
    #expect(throws: DecodingError.self) { try decoder.decode(all.span) }
  }

  @Test func `a list of another length names its key`() throws {
    func message(_ make: () throws -> RegressionDecoder) -> String {
      let error = #expect(throws: DecodingError.self) { _ = try make() }
      return error?.message ?? ""
    }
    #expect(message { try .init(shape: [2], names: ["a"]) }.contains("\"names\" has 1"))
    #expect(message { try .init(shape: [2], units: []) }.contains("\"units\" has 0"))
    #expect(message { try .init(shape: [2], scale: [1, 2, 3]) }.contains("\"scale\" has 3"))
    #expect(message { try .init(shape: [2], bias: [1]) }.contains("\"bias\" has 1"))
    #expect(message { try .init(shape: [1], bias: [.infinity]) }.contains("finite"))
    #expect(message { try .init(shape: [2, 2]) }.contains("[2, 2]"))
    let values: [Float] = [1]
    #expect(throws: DecodingError.self) { try RegressionDecoder(shape: [2]).decode(values.span) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand tensors give the numbers of NumPy`() async throws {
    let pairs = try await PointPeer.compare("regression") { random in
      let count = random.pick([1, 3, 10])
      var values = (0..<count).map { _ in random.number(-5...5) }
      let scale = (0..<count).map { _ in random.number(-100...100) }
      let bias = (0..<count).map { _ in random.number(-10...10) }
      if random.unit() < 0.1 { random.spoil(&values, count: 1) }
      let decoder = try RegressionDecoder(shape: [count], scale: scale, bias: bias)
      return (
        [
          "tensor": .tensor(values, [count]), "scale": .tensor(scale, [count]),
          "bias": .tensor(bias, [count]),
        ], try PointPeer.result { try decoder.decode(values.span).map(\.value) }
      )
    }
    var gap = PointGap()
    for (values, answer) in pairs { gap.compare(values, answer.values) }
    #expect(gap.count > pairs.count)
    #expect(gap.relative <= 1e-6)
  }
}
