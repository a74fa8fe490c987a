// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// Decodes numbers that aren't positions: labels, vectors, distances, ranks and measurements.
struct NumberDecoder: PreparedDecoder {
  private enum Kernel {
    case binary(BinaryDecoder)
    case embedding(EmbeddingDecoder)
    case depth(DepthDecoder)
    case multiLabel(MultiLabelDecoder)
    case ordinal(OrdinalDecoder)
    case regression(RegressionDecoder)
  }

  private let kernel: Kernel
  private let outputs: DecoderOutputs

  init(_ outputs: DecoderOutputs) throws {
    self.outputs = outputs
    let options = outputs.options
    let shape = outputs.shape
    switch outputs.type {
    case "binary":
      kernel = .binary(try BinaryDecoder(shape: shape, activation: Self.activation(options)))
      let names = options.labels?.names.count ?? 0
      guard names == 2 else {
        throw DecodingError(
          "Its labels have \(counted(names, "name")), but a single score decides two classes. Name "
            + "the class of low scores first, then that of high ones.")
      }
    case "embedding":
      let gallery = try Self.gallery(options)
      kernel = .embedding(
        try EmbeddingDecoder(
          shape: shape, normalizes: options.flag("normalize") ?? true, gallery: gallery,
          top: options.count("top") ?? 5, threshold: options.float("threshold") ?? -.infinity))
      try Self.check(options, "vector", count: gallery?.count)
    case "depth":
      kernel = .depth(try DepthDecoder(shape: shape, isInverse: options.flag("inverse") ?? false))
    case "multi-label":
      kernel = .multiLabel(
        try MultiLabelDecoder(
          shape: shape, activation: Self.activation(options),
          threshold: options.float("threshold") ?? 0.5, top: options.count("top") ?? .max))
      try Self.check(options, "score", count: shape.reduce(1, *))
    case "ordinal":
      kernel = .ordinal(
        try OrdinalDecoder(
          shape: shape, form: options.text("form").flatMap(OrdinalDecoder.Form.init) ?? .cumulative,
          values: options.numbers("values")?.map { Float($0) }))
    default:
      kernel = .regression(
        try RegressionDecoder(
          shape: shape, names: options.texts("names"), units: options.texts("units"),
          scale: options.numbers("scale")?.map { Float($0) },
          bias: options.numbers("bias")?.map { Float($0) }))
    }
  }

  private static func activation(_ options: LayerCoding) -> BoxActivation {
    options.text("activation").flatMap(BoxActivation.init) ?? .none
  }

  private static func gallery(_ options: LayerCoding) throws -> EmbeddingGallery? {
    guard let name = options.text("gallery") else { return nil }
    let tensor = try NumPyFile(options.folder + name).tensor
    return try EmbeddingGallery(tensor.numbers(as: Float.self), shape: tensor.shape)
  }

  private static func check(_ options: LayerCoding, _ thing: String, count: Int?) throws {
    guard let names = options.labels?.names.count, let count, names < count else { return }
    throw DecodingError(
      "Its labels have \(counted(names, "name")), but there are \(counted(count, thing)). Add the "
        + "missing labels in their order.")
  }

  func decode(_ values: ModelOutputs) throws -> DecodedValue {
    let options = outputs.options
    return try values.withFloats(at: outputs.index) { tensor in
      switch kernel {
      case .binary(let decoder): return .labels(try decoder.decode(tensor).map(label))
      case .embedding(let decoder):
        let found = try decoder.decode(tensor)
        return .embedding(
          Embedding(vector: found.vector, nearest: found.nearest.map(label)))
      case .depth(let decoder):
        let map = try decoder.decode(tensor)
        return .depth(
          DepthMap(
            width: map.width, height: map.height, values: map.values, minimum: map.minimum,
            maximum: map.maximum, unit: options.text("unit"), isInverse: map.isInverse))
      case .multiLabel(let decoder): return .labels(try decoder.decode(tensor).map(label))
      case .ordinal(let decoder):
        let number = try decoder.decode(tensor)
        return .measurements([
          Measurement(
            name: outputs.name, value: number.shortestDouble, unit: options.text("unit"))
        ])
      case .regression(let decoder):
        let numbers = try decoder.decode(tensor)
        return .measurements(
          numbers.enumerated().map { index, number in
            let missing = numbers.count == 1 ? outputs.name : "\(index)"
            return Measurement(
              name: number.name ?? missing, value: number.value.shortestDouble, unit: number.unit)
          })
      }
    }
  }

  private func label(_ found: ScoredIndex) -> ScoredLabel {
    ScoredLabel(index: found.index, label: outputs.options.label(found.index), score: found.score)
  }
}
