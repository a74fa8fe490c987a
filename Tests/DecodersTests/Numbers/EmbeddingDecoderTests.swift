// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct EmbeddingDecoderTests {
  @Test func `a vector is scaled to length 1, or stays as it is`() throws {
    let values: [Float] = [3, 0, -4]
    let scaled = try EmbeddingDecoder(shape: [1, 1, 3]).decode(values.span)
    #expect(scaled == DecodedEmbedding(vector: [0.6, 0, -0.8]))
    let kept = try EmbeddingDecoder(shape: [3, 1], normalizes: false).decode(values.span)
    #expect(kept.vector == values)
    let zero: [Float] = [0, 0, 0]
    #expect(try EmbeddingDecoder(shape: [3]).decode(zero.span).vector == zero)
  }

  @Test func `the length of huge and tiny vectors doesn't overflow`() throws {
    let decoder = try EmbeddingDecoder(shape: [2])
    let huge: [Float] = [.greatestFiniteMagnitude, -.greatestFiniteMagnitude]
    let tiny: [Float] = [.leastNonzeroMagnitude, 0]
    #expect(
      try decoder.decode(huge.span).vector.map { $0 * $0 }.allSatisfy { abs($0 - 0.5) < 1e-6 })
    #expect(try decoder.decode(tiny.span).vector == [1, 0])
  }

  @Test func `neighbors are sorted by cosine, and equal ones by index`() throws {
    let gallery = try EmbeddingGallery([0, 2, 5, 0, -1, 0, 1, 1, 0, 0, 8, 0], shape: [6, 2])
    let values: [Float] = [2, 0]
    func nearest(top: Int = 10, threshold: Float = -1) throws -> [ScoredIndex] {
      try EmbeddingDecoder(
        shape: [2], normalizes: false, gallery: gallery, top: top, threshold: threshold
      ).decode(values.span).nearest
    }
    #expect(gallery.count == 6)
    #expect(gallery.size == 2)
    #expect(try nearest().map(\.index) == [1, 5, 3, 0, 4, 2])
    #expect(try nearest(top: 1) == [ScoredIndex(index: 1, score: 1)])
    #expect(try nearest(threshold: 0).map(\.index) == [1, 5, 3, 0, 4])
    #expect(try nearest(top: 0).isEmpty)
    #expect(try nearest(top: -1).isEmpty)
  }

  @Test func `an undefined value is an error`() throws {
    for value: Float in [.nan, .infinity, -.infinity] {
      let values = [1, value]
      #expect(throws: DecodingError.self) { try EmbeddingDecoder(shape: [2]).decode(values.span) }
      let error = #expect(throws: DecodingError.self) {
        try EmbeddingGallery([1, 2, 3, value], shape: [2, 2])
      }
      #expect(error?.message.contains("Row 1") == true)
    }
  }

  @Test func `shapes that don't fit are errors`() throws {
    let gallery = try EmbeddingGallery([1, 2, 3], shape: [1, 3])
    #expect(throws: DecodingError.self) { try EmbeddingDecoder(shape: [2], gallery: gallery) }
    #expect(throws: DecodingError.self) { try EmbeddingDecoder(shape: [2, 2]) }
    #expect(throws: DecodingError.self) { try EmbeddingDecoder(shape: [0]) }
    #expect(throws: DecodingError.self) { try EmbeddingGallery([1, 2, 3], shape: [3]) }
    #expect(throws: DecodingError.self) { try EmbeddingGallery([1, 2, 3], shape: [2, 2]) }
    #expect(throws: DecodingError.self) { try EmbeddingGallery([], shape: [0, 2]) }
    let values: [Float] = [1, 2]
    #expect(throws: DecodingError.self) { try EmbeddingDecoder(shape: [3]).decode(values.span) }
  }

  @Test(.enabled(if: PointPeer.isThere, PointPeer.reason))
  func `a thousand vectors give the neighbors of scikit-learn`() async throws {
    let pairs = try await PointPeer.compare("embedding") { random in
      let (count, size) = (random.pick([1, 7, 30]), random.pick([1, 3, 16, 65]))
      let top = random.pick([1, 5, 100])
      let threshold = random.pick([-2, -0.05, 0.1] as [Float])
      let normalizes = random.unit() < 0.5
      var vector = (0..<size).map { _ in random.number(-3...3) }
      var rows = (0..<count).map { _ in (0..<size).map { _ in random.number(-3...3) } }
      // Equal rows and a row of zeros.
      if random.unit() < 0.3 { rows[0] = rows[count - 1] }
      if random.unit() < 0.1 { rows[count / 2] = Array(repeating: 0, count: size) }
      if random.unit() < 0.05 { random.spoil(&vector, count: 1) }
      let values = rows.flatMap(\.self)
      let decoder = try EmbeddingDecoder(
        shape: [1, size], normalizes: normalizes,
        gallery: EmbeddingGallery(values, shape: [count, size]), top: top, threshold: threshold)
      return (
        [
          "tensor": .tensor(vector, [size]), "gallery": .tensor(values, [count, size]),
          "normalize": .flag(normalizes), "top": .number(top),
          "threshold": .number(Double(threshold)),
        ], try PointPeer.result { try decoder.decode(vector.span) }
      )
    }
    var vectors = PointGap()
    var cosines = PointGap()
    for (embedding, answer) in pairs {
      vectors.compare(embedding.vector, answer.vector)
      cosines.compare(embedding.nearest.map(\.score), answer.scores)
      if embedding.nearest.map(\.index) != answer.indices {
        Issue.record("\(embedding.nearest) isn't \(answer.indices ?? [])")
      }
    }
    #expect(cosines.count > pairs.count)
    #expect(vectors.absolute <= 1e-6)
    #expect(cosines.absolute <= 1e-6)
  }
}
