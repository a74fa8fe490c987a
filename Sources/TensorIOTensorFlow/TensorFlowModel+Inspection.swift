// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension TensorFlowModel {
  /// Whether the folder has weights in addition to the graph.
  package var hasVariables: Bool { folder.hasVariables }

  /// Returns the graph's own name of a tensor, `operation` or `operation:index`.
  ///
  /// - Parameters:
  ///   - name: A name that a layer may take: an operation, or a key of a signature.
  ///   - signature: One of ``signatures``. Its keys are searched before those of the others.
  /// - Returns: The name, or nil when there is no such tensor.
  package func graphName(of name: String, in signature: SignatureDescription) -> String? {
    tensor(named: name, in: signature.key).map(graph.name)
  }

  /// Returns whether `train.ops` can name an operation.
  ///
  /// The name is either an operation of the graph, or a signature, which stands for the operations
  /// of its outputs.
  package func hasOperation(_ name: String) -> Bool { !operations(named: name).isEmpty }

  /// Returns the placeholders that a signature depends on but doesn't list, such as a learning
  /// rate.
  ///
  /// A placeholder with a default doesn't need a value.
  ///
  /// - Parameters:
  ///   - signature: One of ``signatures``.
  ///   - names: The operations that a training step also runs. Operations that the model doesn't
  ///     have are ignored.
  /// - Returns: The placeholders, sorted by name.
  package func placeholders(
    beside signature: SignatureDescription, operations names: [String] = []
  ) -> [TensorDescription] {
    let outputs = signature.outputs.compactMap { tensor(named: $0.name, in: signature.key) }
    let inputs = signature.inputs.compactMap { tensor(named: $0.name, in: signature.key) }
    let wanted = outputs.map(\.operation) + names.flatMap { operations(named: $0) }
    let needed = graph.operations(runFor: wanted, feeding: Set(inputs))
    return graph.placeholders(among: needed, withDefaults: true).map { operation in
      let tensor = TensorFlowGraph.Tensor(operation: operation, index: 0)
      return graph.description(of: tensor, name: graph.name(of: operation))
    }
  }

  /// The tensors that are computed from a placeholder and that no operation reads.
  ///
  /// These are probably the outputs of a model without signatures.
  package var results: [TensorDescription] {
    graph.results(of: Set(keys.placeholders(in: graph))).map {
      graph.description(of: $0, name: graph.name(of: $0))
    }
  }
}
