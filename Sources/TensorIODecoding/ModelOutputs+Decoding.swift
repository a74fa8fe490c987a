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
    guard case .objects(let objects) = try decoded(name) else {
      throw TensorIOError(
        .wrongOutputType, "'\(name)' doesn't contain objects. Read it with decoded(_:).")
    }
    return objects
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
  /// Outputs that a decoder reads beside its own are left out, because the decoded value contains
  /// them.
  ///
  /// - Throws: `TensorIOError` when an output can't be read.
  public func values() throws -> [(name: String, value: TensorValue)] {
    var used: [String] = []
    for spec in specs { if let decoding = spec.coding { used += decoding.outputs.values } }
    var values: [(name: String, value: TensorValue)] = []
    for (index, spec) in specs.enumerated() {
      if spec.coding != nil {
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
