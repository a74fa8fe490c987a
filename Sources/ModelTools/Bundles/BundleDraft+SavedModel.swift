// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
package import TensorIOTensorFlow

extension BundleDraft {
  /// Describes one signature of a SavedModel, whose file has graphs with these tags.
  ///
  /// A graph with the tag `train`, or a signature named `train`, becomes a bundle for training.
  package init(
    model: TensorFlowModel, signature index: Int, graphs: [[String]], bundleName: String
  ) throws {
    var signature = model.signatures[index]
    let isTraining = model.tags.contains("train") || signature.key == "train"
    // The key of a signature stands for the operations that compute its outputs.
    let operations =
      model.tags.contains("train")
      ? SavedModelUse.trainingOperations(of: model) : isTraining ? [signature.key] : []
    var others = model.placeholders(beside: signature, operations: operations)
    // A scalar is a setting such as a learning rate: there is one for the whole batch.
    signature.inputs += others.filter { !$0.hasDefault && !$0.isNumber }
    others.removeAll { !$0.hasDefault && !$0.isNumber }
    if isTraining {
      others += signature.inputs.filter(\.isNumber)
      signature.inputs.removeAll(where: \.isNumber)
    }
    var drafter = LayerDrafter(signature, mayBeQuantized: false)
    let inputs = try drafter.inputs(signature.inputs.map { _ in nil })
    let placeholders = try drafter.placeholders(others)
    let outputs = try drafter.outputs(signature.outputs.map { _ in nil })
    var layers: Members = [("inputs", .array(inputs)), ("outputs", .array(outputs))]
    if !placeholders.isEmpty { layers.append(("placeholders", .array(placeholders))) }
    if !operations.isEmpty { layers.append(("train", .object([("ops", .strings(operations))]))) }

    var blanks: [String] = []
    var checks = Self.graphChecks(graphs, chosen: model.tags)
    let evaluating = Self.evaluatingSignature(for: signature, operations, model.signatures)
    checks +=
      evaluating.map { ["outputs: they are those of the signature '\($0)', which doesn't train"] }
      ?? Self.signatureChecks(model.signatures, chosen: index)
    if outputs.isEmpty {
      blanks.append("outputs")
      checks.append(Self.missingOutputs(model.results.map(\.name)))
    }
    if isTraining {
      if operations.isEmpty { blanks.append("train.ops") }
      checks += Self.trainingChecks(operations, outputs: signature.outputs)
      checks += Self.batchChecks(signature.inputs)
    }
    let use = isTraining ? "train" : "predict"
    self.init(
      drafter, evaluating == nil ? model.signatures : [], at: index, bundleName: bundleName,
      modelFile: use, backend: "tensorflow", mode: use, layers: layers, blanks: blanks,
      checks: checks + drafter.checks)
  }

  /// Returns the signature that computes the outputs of a training signature without training.
  ///
  /// Without a signature in model.json, the outputs are read from it, and the model can be evaluated.
  private static func evaluatingSignature(
    for training: SignatureDescription, _ operations: [String],
    _ signatures: [SignatureDescription]
  ) -> String? {
    guard operations == [training.key] else { return nil }
    let outputs = Set(training.outputs.map(\.name))
    return signatures.first { signature in
      signature.key != training.key && outputs.isSubset(of: signature.outputs.map(\.name))
    }?.key
  }

  private static func graphChecks(_ graphs: [[String]], chosen: [String]) -> [String] {
    guard graphs.count > 1 else { return [] }
    let others = graphs.filter { $0 != chosen }.map { "'\($0.joined(separator: ","))'" }
    return [
      "the graph with the tag '\(chosen.joined(separator: ","))' was used; the model also has "
        + others.joined(separator: ", ")
    ]
  }

  private static func trainingChecks(
    _ operations: [String], outputs: [TensorDescription]
  ) -> [String] {
    let loss =
      outputs.contains(where: \.isNumber)
      ? [] : ["outputs: none is a single number, such as a loss; add the operation of the loss"]
    guard let operation = operations.first else {
      return loss + [
        "train.ops: the graph has no operation 'train' or 'train_op'; add \"train\": {\"ops\": "
          + "[names]} with the operations of a training step"
      ]
    }
    return loss + ["train.ops: '\(operation)' is assumed to be the operation of a training step"]
  }

  /// If one input has a batch axis, reports the inputs that don't.
  private static func batchChecks(_ inputs: [TensorDescription]) -> [String] {
    guard inputs.contains(where: { $0.shape.first == -1 && !$0.rankIsUnknown }) else { return [] }
    return inputs.filter { $0.shape.first != -1 }.map { input in
      "shape of '\(input.name)': the model has \(input.shape), while other inputs have a batch "
        + "axis; add -1 in front if there is one value for each item"
    }
  }

  private static func missingOutputs(_ results: [String]) -> String {
    let list = results.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
    let hint = "; nothing in the graph reads \(list)\(results.count > 5 ? ", ..." : "")"
    return "outputs: the model has no signature that lists them; describe the operations to read"
      + (results.isEmpty ? "" : hint)
  }
}

extension TensorDescription {
  /// Whether the tensor is a scalar, which has rank 0.
  fileprivate var isNumber: Bool { shape.isEmpty && !rankIsUnknown }
}
