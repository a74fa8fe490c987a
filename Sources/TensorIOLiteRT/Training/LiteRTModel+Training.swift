// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension LiteRTModel: TrainableLoadedModel {
  /// Returns the signature with the inputs of the training signatures appended to its own.
  package func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription {
    guard isTrained else { return signature }
    let training = signatures.filter { layers.operations.contains($0.key) }
    var description = signature
    description.isTrainingStep = layers.operations.contains(signature.key)
    for var input in training.flatMap(\.inputs)
    where !description.inputs.contains(where: { $0.name == input.name }) {
      input.hasDefault = !description.isTrainingStep
      description.inputs.append(input)
    }
    return description
  }

  package func checkOperations(_ operations: [String]) throws {
    _ = try trainingSignatures(operations)
  }

  package func makeTrainingSession(
    _ signature: SignatureDescription, operations: [String], options: SessionOptions
  ) throws -> any Session {
    guard isTrained else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(file.path)' wasn't loaded for training. Load it with the mode 'train'.")
    }
    guard keepsState else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(file.path)' has no variables, so there is nothing to train. Convert it from a model "
          + "whose weights are variables, with a signature that trains them.")
    }
    var running = try trainingSignatures(operations)
    let index = try index(of: signature.key)
    if !running.contains(index) { running.append(index) }
    return try LiteRTSharedSession(
      model: self, signature, running: running, sharing: sharedModel(options), isTraining: true)
  }

  package var keepsWeightsBesideModel: Bool { true }

  package func exportModel(to path: String) throws {
    throw TensorIOError(
      .unsupportedModel,
      "LiteRT cannot write weights into a .tflite file, so the trained weights of '\(file.path)' "
        + "cannot be exported as a model. Save them with export(to:) or exportBundle(to:).")
  }

  package func checkExport() throws { _ = try weightSignatures() }

  package func stepBytes(items: Int) -> Int { file.tensorBytes(items: items) }

  package func inputs(_ inputs: [String], neededFor outputs: [String]) -> [String] {
    let able = signatures.first { signature in
      outputs.allSatisfy { name in signature.outputs.contains { $0.name == name } }
    }
    guard let able else { return inputs }
    return inputs.filter { name in able.inputs.contains { $0.name == name } }
  }

  /// Returns the index of each signature that `train.ops` names, without duplicates.
  private func trainingSignatures(_ operations: [String]) throws -> [Int] {
    var indexes: [Int] = []
    for name in operations {
      guard let index = signatures.firstIndex(where: { $0.key == name }) else {
        throw TensorIOError(
          .invalidBundle,
          "train.ops names '\(name)', but the model '\(file.path)' has no signature of that name. "
            + "Its signatures: \(signatureList). Name the one that trains the model.")
      }
      if !indexes.contains(index) { indexes.append(index) }
    }
    return indexes
  }

  /// The signatures' keys, for messages.
  var signatureList: String {
    Self.list(signatures.map(\.key).filter { !$0.isEmpty })
  }
}
