// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension InferenceModel {
  /// Encodes inputs as a run would write them, without a run.
  ///
  /// - Returns: The bytes of each input, in order; an optional input without a value has none.
  /// - Throws: ``TensorIOError`` when the model can't be loaded, when a value doesn't fit its input,
  ///   or for an input of strings, which have no bytes.
  package func encodedInputs(_ inputs: ModelInputs) throws -> [(spec: TensorSpec, bytes: [UInt8])] {
    let bound = try loaded().bound
    var encoded: [(spec: TensorSpec, bytes: [UInt8])] = []
    try inputs.forEach(bound.inputSpecs, isOptional: bound.optionalInputs) { position, value in
      let spec = bound.inputSpecs[position]
      guard let value else { return }
      guard spec.dataType != .string else {
        throw TensorIOError(
          .wrongKind, "'\(spec.name)' takes text, whose tensor can't be given as bytes.")
      }
      var bytes = [UInt8](repeating: 0, count: spec.byteCount)
      var span = bytes.mutableSpan
      var memory = span.mutableBytes
      try value.encode(into: &memory, as: spec)
      encoded.append((spec, bytes))
    }
    return encoded
  }
}
