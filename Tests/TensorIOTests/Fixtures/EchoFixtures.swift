// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTesting

extension TensorDescription {
  static func float(_ name: String, _ shape: [Int]) -> TensorDescription {
    TensorDescription(name: name, dataType: .float32, shape: shape)
  }

  static func tensor(
    _ name: String, _ dataType: DataType?, _ shape: [Int], _ stored: StoredQuantization? = nil
  ) -> TensorDescription {
    TensorDescription(name: name, dataType: dataType, shape: shape, quantization: stored)
  }
}

extension SignatureDescription {
  /// The inputs and outputs of `vectors.json`.
  static let vectors = SignatureDescription(
    key: "", inputs: [.float("temperatures", [1, 4]), .float("pressures", [1, 8])],
    outputs: [.float("winds", [1, 3]), .float("clouds", [1, 6])])
}

extension EchoBackend {
  /// A backend whose models have the same signatures as those in `Tests/Fixtures/Models`.
  static func fixtures(
    matchesLayersByName: Bool = false, behaviour: Behaviour = Behaviour()
  ) -> EchoBackend {
    func one(
      _ key: String, _ inputs: [TensorDescription], _ outputs: [TensorDescription]
    ) -> [SignatureDescription] {
      [SignatureDescription(key: key, inputs: inputs, outputs: outputs)]
    }
    let key = "serving_default"
    return EchoBackend(
      [],
      signaturesByFile: [
        "matmul.tflite": one(
          key, [.float("input1", [1, 4]), .float("input2", [1, 4])],
          [.float("output1", [1, 1]), .float("output2", [1, 1])]),
        "no_signature.tflite": one("", [.float("x", [1, 3])], [.float("y", [1, 3])]),
        "reverse_uint8.tflite": one(
          key, [.tensor("x", .uint8, [2, 3])], [.tensor("y", .uint8, [2, 3])]),
        "reverse_int32.tflite": one(
          key, [.tensor("x", .int32, [2, 3])], [.tensor("y", .int32, [2, 3])]),
        "two_signatures.tflite":
          one("double", [.float("value", [3])], [.float("doubled", [3])])
          + one("square", [.float("number", [2])], [.float("squared", [2])]),
        "dynamic_batch.tflite": one(key, [.float("x", [-1, 3])], [.float("y", [-1, 2])]),
        "fixed_batch.tflite": one(key, [.float("x", [1, 3])], [.float("y", [1, 2])]),
        "string.tflite": one(
          key, [.tensor("x", .string, [3])], [.tensor("y", .string, [3])]),
        "identity_image.tflite": one(
          key, [.float("image", [1, 8, 6, 3])], [.float("output", [1, 8, 6, 3])]),
      ],
      matchesLayersByName: matchesLayersByName, behaviour: behaviour)
  }
}
