// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct BinaryDecoderTests {
  private func decode(
    _ value: Float, _ activation: BoxActivation = .none
  ) throws -> [ScoredIndex] {
    try BinaryDecoder(shape: [1], activation: activation).decode([value].span)
  }

  @Test func `a probability is the score of the second class`() throws {
    #expect(try decode(0.75).map(\.index) == [1, 0])
    #expect(try decode(0.75).map(\.score) == [0.75, 0.25])
    #expect(try decode(0).map(\.score) == [1, 0])
    #expect(try decode(1).map(\.index) == [1, 0])
    // The first class wins a draw, as with Keras, which compares p > 0.5.
    #expect(try decode(0.5).map(\.index) == [0, 1])
  }

  @Test func `a logit is exact on both sides`() throws {
    #expect(try decode(0, .sigmoid).map(\.score) == [0.5, 0.5])
    #expect(try decode(.infinity, .sigmoid).map(\.score) == [1, 0])
    let far = try decode(30, .sigmoid)
    #expect(far.map(\.index) == [1, 0])
    // 1 / (1 + e^30)
    #expect(abs(far[1].score - 9.357623e-14) < 1e-19)
  }

  @Test func `what isn't a probability is an error that names the activation`() {
    for value in [Float(-0.01), 1.5, .infinity] {
      let error = #expect(throws: DecodingError.self) { try decode(value) }
      #expect(error?.message.contains("\"activation\" to \"sigmoid\"") == true)
    }
    #expect(throws: DecodingError.self) { try decode(.nan) }
    #expect(throws: DecodingError.self) { try decode(.nan, .sigmoid) }
  }

  @Test func `other sizes and a softmax are errors`() {
    #expect(throws: DecodingError.self) { try BinaryDecoder(shape: [2]) }
    #expect(throws: DecodingError.self) { try BinaryDecoder(shape: [1, 2, 2]) }
    #expect(throws: DecodingError.self) { try BinaryDecoder(shape: [1], activation: .softmax) }
    #expect(throws: DecodingError.self) {
      try BinaryDecoder(shape: [1, 1]).decode([Float(0), 1].span)
    }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand numbers give the classes of SciPy`() async throws {
    let pairs = try await PointPeer.compare("binary") { random in
      let activation = random.pick([.none, .sigmoid] as [BoxActivation])
      var value = activation == .sigmoid ? random.number(-40...40) : random.unit()
      if random.unit() < 0.05 { value = random.pick([.nan, .infinity, 1.5, -0.25, 0.5]) }
      let decoder = try BinaryDecoder(shape: [1, 1], activation: activation)
      return (
        ["tensor": .tensor([value], [1]), "activation": .text(activation.rawValue)],
        try PointPeer.result { try decoder.decode([value].span) }
      )
    }
    var gap = PointGap()
    for (classes, answer) in pairs {
      gap.compare(classes.map(\.score), answer.scores)
      #expect(classes.map(\.index) == answer.indices)
    }
    #expect(gap.count > 1_800)
    #expect(gap.relative <= 1e-6)
  }
}
