// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Foundation
import TestSupport
import Testing

/// Random prototypes and coefficients, for our masks and NumPy's.
private struct MaskCase: Encodable {
  var kind = "mask"
  var tensor: PeerTensor
  var isFirst: Bool
  var coefficients: [Float]
  var size: [Int]
  var extent: [Float]
  var box: [Float]
  var values: [Float]

  private enum CodingKeys: String, CodingKey {
    case kind, tensor, coefficients, size, extent, box
    case isFirst = "channels_first"
  }

  init(seed: Int) {
    var random = BoxNumbers(seed: seed)
    isFirst = random.pick([true, false])
    let shape = isFirst ? [5, 12, 9] : [12, 9, 5]
    values = (0..<540).map { _ in random.number(-1...1) }
    tensor = PeerTensor(values, shape)
    coefficients = (0..<5).map { _ in random.number(-1...1) }
    size = random.pick([[9, 12], [36, 48], [31, 20], [5, 5]])
    extent = random.pick([[1, 1], [36, 48]])
    let left = random.number(-0.2...0.9)
    let top = random.number(-0.2...0.9)
    box = [
      left * extent[0], top * extent[1], (left + random.number(0...1)) * extent[0],
      (top + random.number(0...1)) * extent[1],
    ]
  }
}

private struct MaskAnswer: Decodable {
  /// Left, top, width and height.
  var region: [Int]
  var cells: Data
  /// The cells that rounding could change.
  var close: Data
}

@Suite(.enabled(if: DecoderPeer.isThere, DecoderPeer.reason))
struct MaskParityTests {
  @Test func `a thousand masks are those of NumPy`() async throws {
    let cases = (0..<1_000).map { MaskCase(seed: 40_000 + $0) }
    let answers = try await DecoderPeer.answers(cases, as: MaskAnswer.self)
    var covered = 0
    var close = 0
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      let prototypes = try MaskPrototypes(shape: [1] + item.tensor.shape, count: 5)
      #expect(prototypes.isChannelsFirst == item.isFirst)
      let box = DecodedBox(
        left: item.box[0], top: item.box[1], right: item.box[2], bottom: item.box[3])
      let mask = try prototypes.mask(
        of: box, coefficients: item.coefficients, extent: (item.extent[0], item.extent[1]),
        size: (item.size[0], item.size[1]), in: item.values.span)
      #expect(mask.width * mask.height == mask.cells.count)
      guard [mask.left, mask.top, mask.width, mask.height] == answer.region else {
        // An empty region may be anywhere.
        #expect(mask.cells.isEmpty && answer.cells.isEmpty, "case \(index)")
        continue
      }
      let different = zip(mask.cells, answer.cells).enumerated()
        .filter { $0.element.0 != $0.element.1 && answer.close[$0.offset] == 0 }
      #expect(different.isEmpty, "case \(index)")
      covered += mask.cells.reduce(0) { $0 + Int($1) }
      close += answer.close.reduce(0) { $0 + Int($1) }
    }
    #expect(covered > 40_000)
    #expect(close < 100)
  }
}
