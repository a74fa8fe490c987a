// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

extension TensorFlowModel {
  /// Whether the folder has weights beside the graph.
  public var hasVariables: Bool { folder.hasVariables }

  /// The graph's own name of a tensor, `operation` or `operation:index`.
  ///
  /// - Parameters:
  ///   - name: A name that a layer may take: an operation, or a key of a signature.
  ///   - signature: One of ``signatures``, whose keys come first.
  /// - Returns: The name; nil when there is no such tensor.
  public func graphName(of name: String, in signature: SignatureDescription) -> String? {
    tensor(named: name, in: signature.key).map(graph.name)
  }

  /// Whether `train.ops` can name an operation: one of the graph, or a signature, which stands for
  /// what its outputs come from.
  public func hasOperation(_ name: String) -> Bool { !operations(named: name).isEmpty }

  /// The placeholders that a signature depends on and does not list, as a learning rate.
  ///
  /// Those with a default need no value: TensorFlow has one.
  ///
  /// - Parameters:
  ///   - signature: One of ``signatures``.
  ///   - names: What a training step runs beside; operations that the model lacks do not count.
  /// - Returns: The placeholders, by name.
  public func placeholders(
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

  /// The tensors that are computed from a placeholder and that nothing in the graph reads: what a
  /// model without signatures probably is for.
  public var results: [TensorDescription] {
    graph.results(of: Set(graph.allPlaceholders().filter { $0 != saverInput })).map {
      graph.description(of: $0, name: graph.name(of: $0))
    }
  }

  /// What takes the path of a checkpoint.
  private var saverInput: TensorFlowGraph.Tensor? {
    graph.tensor(named: saverDefinition.filenameTensorName)
  }
}
