// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The tensors in the graph that the keys of a SavedModel's signatures stand for.
struct SignatureKeys: Sendable {
  private struct Signature: Sendable {
    let inputs: [String: TensorFlowGraph.Tensor]
    let outputs: [String: TensorFlowGraph.Tensor]
  }

  private let signatures: [String: Signature]
  /// The tensor that takes the path of a checkpoint.
  private let saverInput: TensorFlowGraph.Tensor?

  /// The prefix of the signatures that TensorFlow writes for its own use.
  private static let ownPrefix = "__saved_model"
  private static let usualKey = "serving_default"

  init(_ metaGraph: MetaGraphMessage, in graph: TensorFlowGraph) {
    saverInput = graph.tensor(named: metaGraph.saver.filenameTensorName)
    signatures = metaGraph.signatures.filter { !$0.key.hasPrefix(Self.ownPrefix) }.mapValues {
      Signature(
        inputs: $0.inputs.compactMapValues { graph.tensor(named: $0) },
        outputs: $0.outputs.compactMapValues { graph.tensor(named: $0) })
    }
  }

  /// Returns the tensor of an input's or output's key.
  ///
  /// The given signature comes first, followed by the other signatures.
  func tensor(named name: String, in key: String) -> TensorFlowGraph.Tensor? {
    for key in [key] + order(trainingFirst: false) {
      if let found = signatures[key]?.inputs[name] ?? signatures[key]?.outputs[name] {
        return found
      }
    }
    return nil
  }

  /// Returns the tensors of an input's key in all signatures, beginning with the given one.
  func inputs(named name: String, in key: String) -> [TensorFlowGraph.Tensor] {
    var found: [TensorFlowGraph.Tensor] = []
    for key in [key] + order(trainingFirst: false) {
      if let input = signatures[key]?.inputs[name], !found.contains(input) { found.append(input) }
    }
    return found
  }

  func outputs(ofSignature key: String) -> [TensorFlowGraph.Tensor] {
    signatures[key].map { Array($0.outputs.values) } ?? []
  }

  /// Returns the signatures, with the names that layers use.
  ///
  /// There is at least one.
  func descriptions(in graph: TensorFlowGraph, trainingFirst: Bool) -> [SignatureDescription] {
    func describe(
      _ tensors: [String: TensorFlowGraph.Tensor], of signature: String
    ) -> [TensorDescription] {
      tensors.sorted { $0.key < $1.key }.map { key, tensor in
        let found = graph.tensor(named: key) ?? self.tensor(named: key, in: signature)
        // A layer finds the tensor by its key, unless the key is the name of another tensor.
        return graph.description(of: tensor, name: found == tensor ? key : graph.name(of: tensor))
      }
    }
    let found = order(trainingFirst: trainingFirst).map { key in
      SignatureDescription(
        key: key, inputs: describe(signatures[key]?.inputs ?? [:], of: key),
        outputs: describe(signatures[key]?.outputs ?? [:], of: key))
    }
    guard found.isEmpty else { return found }
    let inputs = placeholders(in: graph).map {
      graph.description(of: $0, name: graph.name(of: $0))
    }
    return [SignatureDescription(key: "", inputs: inputs, outputs: [])]
  }

  /// Returns the placeholders of the graph, without the one that takes the path of a checkpoint.
  func placeholders(in graph: TensorFlowGraph) -> [TensorFlowGraph.Tensor] {
    graph.allPlaceholders().filter { $0 != saverInput }
  }

  private func order(trainingFirst: Bool) -> [String] {
    let first = trainingFirst ? [TensorFlowModel.trainingTag, Self.usualKey] : [Self.usualKey]
    return first.filter { signatures[$0] != nil }
      + signatures.keys.filter { !first.contains($0) }.sorted()
  }
}

/// `@unchecked Sendable` because it only names an operation, which lives as long as its graph.
extension TensorFlowGraph.Tensor: @unchecked Sendable {}
