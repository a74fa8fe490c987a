// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct CTCDecoderTests {
  /// Probabilities of 0.9 for the symbol of each step.
  private func steps(_ symbols: [Int], count: Int) -> [Float] {
    symbols.flatMap { symbol in
      (0..<count).map { $0 == symbol ? 0.9 : 0.1 / Float(count - 1) }
    }
  }

  private func text(
    _ indices: [Int], _ alphabet: [String], blank: Int? = nil
  ) throws -> DecodedText {
    try CTCDecoder(
      shape: [1, indices.count, 4], symbols: alphabet, blank: blank, activation: .none
    ).decode(steps(indices, count: 4).span)
  }

  @Test func `equal symbols are one unless a blank separates them`() throws {
    let found = try text([3, 0, 0, 3, 0, 1, 1, 3, 3, 2], ["a", "b", "ch", "-"])
    #expect(found.text == "aabch")
    #expect(found.symbols == [0, 0, 1, 2])
    #expect(abs((found.score ?? 0) - 0.3486784) < 1e-6)
    #expect(try text([3, 3], ["a", "b", "c", "-"]).text.isEmpty)
  }

  @Test func `the alphabet can leave out the blank, wherever it is`() throws {
    #expect(try text([0, 1, 0, 3, 2, 2, 0], ["a", "b", "c"], blank: 0).text == "acb")
    #expect(try text([0, 1, 0, 3, 2, 2, 0], ["-", "a", "b", "c"], blank: 0).text == "acb")
    #expect(try text([1, 2, 1, 0, 3], ["a", "b", "c"], blank: 1).text == "bac")
    #expect(try text([3, 2, 0], ["a", "b", "c"]).text == "ca")
  }

  @Test func `a softmax makes probabilities of logits`() throws {
    let logits: [Float] = [0, 1000, 0, .nan, 0, 0, .infinity, 2, .infinity]
    let found = try CTCDecoder(shape: [3, 3], symbols: ["a", "b"]).decode(logits.span)
    #expect(found == DecodedText(text: "ba", symbols: [1, 0], score: 0.25))
  }

  @Test func `NaN never wins, and a step of NaN is an error that names it`() throws {
    let decoder = try CTCDecoder(shape: [2, 2], symbols: ["a"], activation: .none)
    let some: [Float] = [.nan, 0.25, 0.5, .nan]
    #expect(
      try decoder.decode(some.span) == DecodedText(text: "a", symbols: [0], score: 0.125))
    let all: [Float] = [1, 0, .nan, .nan]
    let error = #expect(throws: DecodingError.self) { try decoder.decode(all.span) }
    #expect(error?.message.contains("step 1") == true)
  }

  @Test func `an alphabet, blank or shape that doesn't fit is an error`() throws {
    #expect(throws: DecodingError.self) { try text([0], ["a", "b"]) }
    #expect(throws: DecodingError.self) { try text([0], ["a", "b", "c", "d", "e"]) }
    #expect(throws: DecodingError.self) { try text([0], ["a", "b", "c"], blank: 4) }
    #expect(throws: DecodingError.self) { try text([0], ["a", "b", "c"], blank: -1) }
    #expect(throws: DecodingError.self) { try CTCDecoder(shape: [4], symbols: ["a"]) }
    #expect(throws: DecodingError.self) {
      try CTCDecoder(shape: [4, 2], symbols: ["a"], activation: .sigmoid)
    }
    let values: [Float] = [1, 0]
    #expect(throws: DecodingError.self) {
      try CTCDecoder(shape: [2, 2], symbols: ["a"]).decode(values.span)
    }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand tensors give the text of TensorFlow`() async throws {
    let pairs = try await PointPeer.compare("ctc") { random in
      let (steps, count) = (random.pick([1, 5, 20]), random.pick([2, 3, 11]))
      let blank = random.pick([0, count - 1, count / 2])
      let activation = random.pick([.none, .softmax] as [BoxActivation])
      let letters = (0..<count).map { String(UnicodeScalar(UInt8(97 + $0))) }
      let alphabet = random.unit() < 0.5 ? letters : Array(letters.dropLast())
      let isLogit = activation == .softmax
      var values = (0..<steps * count).map { _ in
        isLogit ? random.number(-4...4) : random.number(0.001...0.999)
      }
      if random.unit() < 0.1 { random.spoil(&values, count: 2) }
      let decoder = try CTCDecoder(
        shape: [1, steps, count], symbols: alphabet, blank: blank, activation: activation)
      return (
        [
          "tensor": .tensor(values, [steps, count]), "alphabet": .texts(alphabet),
          "blank": .number(blank), "activation": .text(activation.rawValue),
        ], try PointPeer.result { try decoder.decode(values.span) }
      )
    }
    var gap = PointGap()
    for (found, answer) in pairs {
      if found.text != answer.text || found.symbols != answer.symbols {
        Issue.record("'\(found.text)' isn't '\(answer.text ?? "")'")
      }
      gap.compare([found.score ?? .nan], [answer.score])
    }
    #expect(gap.absolute <= 1e-6)
  }
}
