// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// What `decode` describes, with its files read and its shapes checked, for one output.
protocol PreparedDecoder: Sendable {
  func decode(_ outputs: ModelOutputs) throws -> DecodedValue
}

/// Decodes an output, together with others that its `decode` field names.
struct OutputDecoder: Sendable {
  private let decoder: any PreparedDecoder
  private let name: String

  /// Prepares a decoder.
  ///
  /// - Parameters:
  ///   - decoding: The field `decode`.
  ///   - index: The index of the output that has the field.
  ///   - specs: All outputs.
  ///   - image: The image input; nil for a model without one.
  /// - Throws: `TensorIOError` when the field doesn't fit the outputs, or when a file can't be read.
  init(_ decoding: LayerCoding, at index: Int, in specs: [TensorSpec], image: TensorSpec?) throws {
    name = specs[index].name
    let outputs = DecoderOutputs(decoding, at: index, in: specs)
    do {
      decoder =
        switch decoding.type {
        case "tflite-postprocess", "ssd", "blazeface", "yolo":
          try ObjectDecoder(outputs, image: image)
        case "movenet", "heatmaps", "simcc": try PoseDecoder(outputs, image: image)
        case "reconstruction": ReconstructionDecoder(outputs)
        case "ctc", "tokens": try TextDecoder(outputs)
        default: try NumberDecoder(outputs)
        }
    } catch let error as DecodingError {
      throw TensorIOError(
        .invalidBundle, "\"decode\" of '\(name)' doesn't fit the model. \(error.message)",
        issues: [
          BundleIssue(
            .decoderMismatch, path: "outputs[\(index)].decode",
            expected: "a decoder that fits the outputs", found: error.message,
            suggestion: "Correct \"decode\", or the shapes of the outputs.")
        ])
    }
  }

  func decode(_ outputs: ModelOutputs) throws -> DecodedValue {
    do {
      return try decoder.decode(outputs)
    } catch let error as DecodingError {
      throw TensorIOError(.inferenceFailed, "'\(name)' can't be decoded. \(error.message)")
    }
  }
}

/// The outputs that a decoder reads, and its options.
struct DecoderOutputs: Sendable {
  let options: LayerCoding
  /// The index of the output that has the field `decode`.
  let index: Int
  private let specs: [TensorSpec]

  init(_ decoding: LayerCoding, at index: Int, in specs: [TensorSpec]) {
    options = decoding
    self.index = index
    self.specs = specs
  }

  var type: String { options.type }
  var name: String { specs[index].name }
  var shape: [Int] { specs[index].itemShape }

  /// The index of the output that has a role; nil if none has it.
  func output(_ role: String) -> Int? {
    guard let name = options.text(role) else { return nil }
    return specs.firstIndex { $0.name == name }
  }

  /// The index of the output that has a role.
  func requiredOutput(_ role: String) throws -> Int {
    guard let index = output(role) else {
      throw DecodingError("It doesn't name an output as \"\(role)\".")
    }
    return index
  }

  func shape(of index: Int) -> [Int] { specs[index].itemShape }
}
