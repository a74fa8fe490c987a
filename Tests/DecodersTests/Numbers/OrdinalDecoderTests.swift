// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct OrdinalDecoderTests {
  private func value(
    _ logits: [Float], _ form: OrdinalDecoder.Form, values: [Float]? = nil
  ) throws -> Float {
    try OrdinalDecoder(shape: [1, logits.count], form: form, values: values).decode(logits.span)
  }

  @Test func `the cumulative form counts the probabilities above a half`() throws {
    #expect(try value([3, 1, 0, -2], .cumulative) == 2)
    #expect(try value([-1, -2], .cumulative) == 0)
    #expect(try value([.infinity, .nan, 5], .cumulative) == 2)
    #expect(try value([3, -1], .cumulative, values: [10, 20.5, 30]) == 20.5)
  }

  @Test func `the expected form is a weighted mean`() throws {
    #expect(try value([0, 0, 0, 0], .expected) == 1.5)
    #expect(try value([0, 0], .expected, values: [-4, 10]) == 3)
    #expect(try value([1000, 0, -1000], .expected) == 0)
    #expect(try value([.nan, 7, .nan], .expected) == 1)
    #expect(try value([.infinity, 7, .infinity], .expected) == 1)
    #expect(try value([-.infinity, -.infinity], .expected) == 0.5)
  }

  @Test(arguments: OrdinalDecoder.Form.allCases)
  func `only NaN, other shapes and missing values are errors`(form: OrdinalDecoder.Form) throws {
    #expect(throws: DecodingError.self) { try value([.nan, .nan], form) }
    #expect(throws: DecodingError.self) { try value([1, 2], form, values: [1]) }
    #expect(throws: DecodingError.self) { try value([1, 2], form, values: [1, 2, 3, 4]) }
    #expect(throws: DecodingError.self) { try value([1, 2], form, values: [1, .nan]) }
    for shape in [[2, 2], [0], [Int.max], [1 << 40]] {
      #expect(throws: DecodingError.self) { try OrdinalDecoder(shape: shape, form: form) }
    }
    let three: [Float] = [1, 2, 3]
    let decoder = try OrdinalDecoder(shape: [4], form: form)
    #expect(throws: DecodingError.self) { try decoder.decode(three.span) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `two thousand tensors give the ranks of SciPy`() async throws {
    let pairs = try await PointPeer.compare("ordinal", count: 2_000) { random in
      let form = random.pick(OrdinalDecoder.Form.allCases)
      let count = random.pick([1, 5, 30])
      let ranks = form == .cumulative ? count + 1 : count
      let values: [Float]? =
        random.unit() < 0.5 ? (0..<ranks).map { _ in random.number(-10...10) } : nil
      var logits = (0..<count).map { _ in random.number(-6...6) }
      if random.unit() < 0.2 { random.spoil(&logits, count: 2) }
      let decoder = try OrdinalDecoder(shape: [1, count], form: form, values: values)
      return (
        [
          "tensor": .tensor(logits, [count]), "form": .text(form.rawValue),
          "values": .tensor(values ?? (0..<ranks).map { Float($0) }, [ranks]),
        ], try PointPeer.result { try decoder.decode(logits.span) }
      )
    }
    var gap = PointGap()
    for (value, answer) in pairs { gap.compare([value], answer.values) }
    #expect(gap.relative <= 1e-6)
  }
}
