// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

extension ModelOutputs {
  /// Decodes an output as its `decode` field in model.json describes.
  ///
  /// The other outputs that the field names are decoded with it. Boxes, keypoints and masks are in
  /// pixels of the upright image that the model was given, even if the model saw only a part of it.
  /// If the model was given a tensor in place of an image, they are in pixels of the layer's image.
  /// If it has no image input, they are in the units of the tensor.
  ///
  /// - Parameter name: The name of the output that has the field.
  /// - Returns: The decoded value.
  /// - Throws: `TensorIOError` when there is no such output, when it has no such field, or when its
  ///   values can't be decoded.
  public func decoded(_ name: String) throws -> DecodedValue {
    guard let index = specs.firstIndex(where: { $0.name == name }) else {
      throw TensorIOError.unknownOutput(name, among: specs)
    }
    return try decoded(at: index)
  }

  /// Decodes the objects or poses of an output.
  ///
  /// - Parameter name: The name of the output that has the field `decode`; nil for the first one.
  /// - Returns: The objects in descending order of their scores, in pixels of the upright image.
  /// - Throws: `TensorIOError` when the output doesn't contain objects, or can't be decoded.
  public func objects(_ name: String? = nil) throws -> [Detection] {
    let name = name ?? specs.first { $0.coding != nil }?.name ?? specs.first?.name ?? ""
    guard case .objects(let objects) = try decoded(name) else { throw mismatch(name, "objects") }
    return objects
  }

  /// Decodes the objects or poses of an output, whose labels have a type of their own.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain objects, can't be decoded, or has a
  ///   label without a value of the type.
  public func objects<Label: ModelLabel>(
    _ name: String, as type: Label.Type = Label.self
  ) throws -> [Labelled<Detection, Label>] {
    try objects(name).map { try Labelled($0) }
  }

  /// Reads the scores of an output with the decoder `binary`, in the order of its two labels.
  ///
  /// - Throws: `TensorIOError` when the output has another decoder or none, or can't be decoded.
  public func classification(_ name: String) throws -> Classification {
    let labels = try twoLabels(name)
    return Classification(labels: Labels(labels.map(\.label)), values: labels.map(\.score))
  }

  /// Reads the scores of an output with the decoder `binary`, whose labels have a type of their own.
  ///
  /// - Throws: `TensorIOError` when the output has another decoder or none, can't be decoded, or has
  ///   a label without a value of the type.
  public func scores<Label: ModelLabel>(
    _ name: String, as type: Label.Type = Label.self
  ) throws -> Scores<Label> {
    let labels = try twoLabels(name).map { try Labelled<ScoredLabel, Label>($0) }
    guard let scores = Scores(labels: labels.map(\.label), values: labels.map(\.score)) else {
      throw mismatch(name, "scores that are numbers")
    }
    return scores
  }

  /// Returns the labels of an output with the decoder `binary` in the order of the classes.
  private func twoLabels(_ name: String) throws -> [ScoredLabel] {
    guard case .labels(let labels) = try decoded(name),
      specs.contains(where: { $0.name == name && $0.isBinary })
    else { throw mismatch(name, "the scores of two classes") }
    return labels.sorted { $0.index < $1.index }
  }

  /// Reads the labels of an output with the decoder `multi-label`, or both labels of `binary`.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain labels, or can't be decoded.
  public func labels(_ name: String) throws -> [ScoredLabel] {
    guard case .labels(let labels) = try decoded(name) else { throw mismatch(name, "labels") }
    return labels
  }

  /// Reads the labels of an output with the decoder `multi-label`, which have a type of their own.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain labels, can't be decoded, or has a
  ///   label without a value of the type.
  public func labels<Label: ModelLabel>(
    _ name: String, as type: Label.Type = Label.self
  ) throws -> [Labelled<ScoredLabel, Label>] {
    try labels(name).map { try Labelled($0) }
  }

  /// Reads the vector of an output with the decoder `embedding`.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain a vector, or can't be decoded.
  public func embedding(_ name: String) throws -> Embedding {
    guard case .embedding(let embedding) = try decoded(name) else {
      throw mismatch(name, "an embedding")
    }
    return embedding
  }

  /// Reads the map of an output with the decoder `depth`.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain a depth map, or can't be decoded.
  public func depth(_ name: String) throws -> DepthMap {
    guard case .depth(let map) = try decoded(name) else { throw mismatch(name, "a depth map") }
    return map
  }

  /// Reads the numbers of an output with the decoder `regression`, `ordinal` or `reconstruction`.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain such numbers, or can't be decoded.
  public func measurements(_ name: String) throws -> [Measurement] {
    guard case .measurements(let numbers) = try decoded(name) else {
      throw mismatch(name, "measurements")
    }
    return numbers
  }

  /// Reads the only number of an output with the decoder `regression`, `ordinal` or
  /// `reconstruction`.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain one number, or can't be decoded.
  public func measurement(_ name: String) throws -> Measurement {
    let numbers = try measurements(name)
    guard numbers.count == 1 else { throw mismatch(name, "a single measurement") }
    return numbers[0]
  }

  /// Reads the text of an output with the decoder `ctc` or `tokens`.
  ///
  /// - Throws: `TensorIOError` when the output doesn't contain text, or can't be decoded.
  public func text(_ name: String) throws -> RecognizedText {
    guard case .text(let text) = try decoded(name) else { throw mismatch(name, "text") }
    return text
  }

  private func mismatch(_ name: String, _ thing: String) -> TensorIOError {
    TensorIOError(
      .wrongOutputType, "'\(name)' doesn't contain \(thing). Read it with decoded(_:).")
  }

  private func decoded(at index: Int) throws -> DecodedValue {
    let spec = specs[index]
    guard let decoding = spec.coding else {
      throw TensorIOError.wrongOutputType(
        spec, "a decoded value", because: "it has no \"decode\" in model.json")
    }
    do {
      let decoder = try prepared(at: index) {
        try OutputDecoder(decoding, at: index, in: specs, image: imageInput)
      }
      return try decoder.decode(self)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .inferenceFailed, "'\(spec.name)' can't be decoded: \(error)", cause: error)
    }
  }

  /// Reads all outputs: decoded ones as their decoders describe, others as they are.
  ///
  /// The scores of a `binary` decoder are like those of a classifier with two labels.
  ///
  /// Outputs that a decoder reads beside its own are left out, because the decoded value contains
  /// them.
  ///
  /// - Throws: `TensorIOError` when an output can't be read.
  public func values() throws -> [(name: String, value: TensorValue)] {
    var used: [String] = []
    for spec in specs { if let decoding = spec.coding { used += decoding.outputs.values } }
    var values: [(name: String, value: TensorValue)] = []
    for (index, spec) in specs.enumerated() {
      if spec.isBinary {
        values.append((spec.name, .labels(try classification(spec.name))))
      } else if spec.coding != nil {
        values.append((spec.name, .decoded(try decoded(at: index))))
      } else if !used.contains(spec.name) {
        values.append((spec.name, try value(at: index)))
      }
    }
    return values
  }
}

extension ModelSignature {
  /// Checks that every decoder fits its outputs, and that its files can be read.
  ///
  /// - Throws: `TensorIOError` for the first decoder that doesn't.
  public func checkDecoders() throws {
    for (index, spec) in outputs.enumerated() {
      guard let decoding = spec.coding else { continue }
      _ = try OutputDecoder(decoding, at: index, in: outputs, image: inputs.first { $0.isImage })
    }
  }
}
