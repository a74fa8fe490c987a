// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

/// Runs every decoder that isn't about boxes on shapes and values that no model should have.
struct HostileTensorTests {
  private static let sizes = [
    Int.min, -1, 0, 1, 1, 1, 2, 3, 5, 8, 17, 56, 65_536, 1 << 31, 1 << 46, 1 << 62, Int.max,
  ]

  private static let values: [Float] = [
    .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -0.0, 1, -1, 1e9, 0.5, 3,
  ]

  /// Makes and runs a decoder; returns 1 if it has a result, and 0 if it throws an error.
  private func run(_ body: () throws -> Void) throws -> Int {
    do { try body() } catch is DecodingError { return 0 }
    return 1
  }

  @Test func `no shape and no value ends the process`() throws {
    var random = BoxNumbers(seed: 7)
    var results = 0
    for _ in 0..<3_000 {
      let shape = (0..<random.pick([0, 1, 2, 3, 4])).map { _ in random.pick(Self.sizes) }
      var other = random.unit() < 0.5 ? shape : shape.map { _ in random.pick(Self.sizes) }
      let count = shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue }
      let length = (0...3_000).contains(count) ? count : random.pick([0, 1, 100])
      let tensor = (0..<length).map { _ in random.pick(Self.values) }
      let number = random.pick(Self.sizes)
      let activation = random.pick([.none, .sigmoid, .softmax] as [BoxActivation])
      let words = (0..<random.pick([0, 1, 2, 3, 8])).map { "\($0)" }
      let options = HeatmapOptions(
        layout: random.pick(HeatmapOptions.Layout.allCases),
        refinement: random.pick(HeatmapOptions.Refinement.allCases),
        stride: random.pick([nil] + Self.values.map { $0 }), activation: activation)
      let hasOffsets = options.refinement == .offsets
      if hasOffsets, other.count == 3, other[2] < 1 << 40 { other[2] = other[2] &* 2 }
      let offsets = tensor + tensor
      results += try run {
        let decoder = try HeatmapDecoder(
          shape: shape, offsetShape: hasOffsets ? other : nil, input: (number, 9), options: options)
        if hasOffsets {
          _ = try decoder.decode(tensor.span, offsets: offsets.span)
        } else {
          _ = try decoder.decode(tensor.span)
        }
      }
      results += try run {
        let decoder = try SimCCDecoder(
          columnShape: shape, rowShape: shape, split: random.pick(Self.values))
        _ = try decoder.decode(columns: tensor.span, rows: tensor.span)
      }
      results += try run {
        let decoder = try MoveNetDecoder(
          shape: shape, points: random.pick([17, number]), threshold: random.pick(Self.values),
          top: number)
        _ = try decoder.decode(tensor.span)
      }
      results += try run {
        _ = try DepthDecoder(shape: shape).decode(tensor.span).nearness()
      }
      results += try run {
        let gallery = try EmbeddingGallery(tensor, shape: shape)
        let vector = Array(tensor.prefix(gallery.size))
        _ = try EmbeddingDecoder(shape: [gallery.size], gallery: gallery, top: number)
          .decode(vector.span)
      }
      results += try run {
        let decoder = try MultiLabelDecoder(
          shape: shape, activation: activation, threshold: random.pick(Self.values), top: number)
        _ = try decoder.decode(tensor.span)
      }
      results += try run {
        let form = random.pick(OrdinalDecoder.Form.allCases)
        _ = try OrdinalDecoder(shape: shape, form: form).decode(tensor.span)
      }
      results += try run {
        _ = try RegressionDecoder(shape: shape, scale: tensor).decode(tensor.span)
      }
      results += try run {
        let decoder = try CTCDecoder(
          shape: shape, symbols: words, blank: random.pick([nil, number]), activation: activation)
        _ = try decoder.decode(tensor.span)
      }
      results += try run {
        let decoder = try TokenDecoder(
          shape: shape, vocabulary: words, joining: random.pick(TokenJoining.allCases),
          activation: activation)
        _ = try decoder.decode(tensor.span)
      }
    }
    // Some shapes and values are right.
    #expect(results > 1_000)
  }
}
