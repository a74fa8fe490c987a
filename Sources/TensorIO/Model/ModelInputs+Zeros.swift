// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ModelInputs {
  /// Zeros, and gray images, for every input: what a model is tried with.
  package static func zeros(for signature: ModelSignature) -> ModelInputs {
    ModelInputs(
      list: signature.inputs.map { spec -> any TensorEncodable in
        if case .imageInput(let shape, _) = spec.kind {
          return PixelBuffer(
            width: shape.width, height: shape.height, format: .rgb,
            bytes: [UInt8](repeating: 128, count: shape.width * shape.height * 3))
        }
        if spec.dataType == .string { return [String](repeating: "", count: spec.elementCount) }
        return [Float](repeating: 0, count: spec.elementCount)
      })
  }
}
