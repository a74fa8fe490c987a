// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct MultiLabelDecoderTests {
  @Test func `labels with high scores are sorted, and equal ones by index`() throws {
    let values: [Float] = [0.5, 0.9, 0.4999, .nan, 0.9, 0.6]
    let found = try MultiLabelDecoder(shape: [1, 6]).decode(values.span)
    #expect(found.map(\.index) == [1, 4, 5, 0])
    #expect(found.map(\.score) == [0.9, 0.9, 0.6, 0.5])
    let best = try MultiLabelDecoder(shape: [6], top: 2).decode(values.span)
    #expect(best == Array(found.prefix(2)))
    #expect(try MultiLabelDecoder(shape: [6], threshold: 1).decode(values.span).isEmpty)
  }

  @Test func `a sigmoid makes probabilities of logits`() throws {
    let values: [Float] = [0, -.infinity, .infinity, 2, -100]
    let found = try MultiLabelDecoder(shape: [5], activation: .sigmoid).decode(values.span)
    #expect(found.map(\.index) == [2, 3, 0])
    #expect(found[0].score == 1)
    #expect(abs(found[1].score - 0.880797) < 1e-6)
    #expect(found[2].score == 0.5)
  }

  @Test func `only NaN, a softmax and other sizes are errors`() throws {
    let values: [Float] = [.nan, .nan]
    #expect(throws: DecodingError.self) { try MultiLabelDecoder(shape: [2]).decode(values.span) }
    #expect(throws: DecodingError.self) { try MultiLabelDecoder(shape: [3]).decode(values.span) }
    #expect(throws: DecodingError.self) { try MultiLabelDecoder(shape: [2, 2]) }
    #expect(throws: DecodingError.self) { try MultiLabelDecoder(shape: [2], activation: .softmax) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand tensors give the labels of SciPy`() async throws {
    let pairs = try await PointPeer.compare("multi-label") { random in
      let count = random.pick([1, 5, 40])
      let activation = random.pick([.none, .sigmoid] as [BoxActivation])
      let (threshold, top) = (random.number(0.1...0.9), random.pick([1, 5, 100]))
      let hasTies = random.unit() < 0.3
      var values = (0..<count).map { _ in
        activation == .sigmoid ? random.number(-8...8) : random.unit()
      }
      if hasTies { values = values.map { ($0 * 4).rounded() / 4 } }
      if random.unit() < 0.2 { random.spoil(&values, count: 2) }
      let decoder = try MultiLabelDecoder(
        shape: [1, 1, count], activation: activation, threshold: threshold, top: top)
      return (
        [
          "tensor": .tensor(values, [count]), "activation": .text(activation.rawValue),
          "threshold": .number(Double(threshold)), "top": .number(top),
        ], try PointPeer.result { try decoder.decode(values.span) }
      )
    }
    var gap = PointGap()
    for (labels, answer) in pairs {
      gap.compare(labels.map(\.score), answer.scores)
      if labels.map(\.index) != answer.indices {
        Issue.record("\(labels) isn't \(answer.indices ?? [])")
      }
    }
    #expect(gap.count > pairs.count)
    #expect(gap.relative <= 1e-6)
  }
}
