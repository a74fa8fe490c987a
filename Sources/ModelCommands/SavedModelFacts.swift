// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTensorFlow

/// What a SavedModel says of itself beside its signatures.
struct SavedModelFacts {
  /// The release of TensorFlow that wrote it; empty when it does not tell.
  var tensorFlowVersion: String
  /// The tags of the graph that was looked at.
  var tags: [String]
  /// The tags of all graphs.
  var graphs: [[String]]
  var hasVariables: Bool
  var files: [SavedModelFile]
  /// What each signature needs beside its inputs.
  var placeholders: [[TensorDescription]]
  /// The graph's own names by the names that layers take, for each signature.
  var graphNames: [[String: String]]
  /// What the graph probably is for, where no signature tells.
  var results: [String]
  /// The operations of a training step, and the placeholders that each needs.
  var trainingOperations: [(name: String, needs: [String])]

  /// Describes a model.
  ///
  /// - Parameters:
  ///   - model: The graph that was loaded.
  ///   - path: The folder.
  ///   - graphs: The tags of all its graphs.
  ///   - operations: What a training step runs; nil when nothing tells.
  /// - Throws: ``TensorIOError`` when the folder cannot be read.
  init(
    _ model: TensorFlowModel, at path: String, graphs: [[String]], operations: [String]?
  ) throws {
    tensorFlowVersion = model.tensorFlowVersion
    tags = model.tags
    self.graphs = graphs
    hasVariables = model.hasVariables
    files = try SavedModelFile.all(in: path)
    placeholders = model.signatures.map { model.placeholders(beside: $0) }
    graphNames = model.signatures.map { signature in
      let names = (signature.inputs + signature.outputs).map(\.name)
      return Dictionary(
        names.compactMap { name in
          model.graphName(of: name, in: signature).map { (name, $0) }
        }, uniquingKeysWith: { first, _ in first })
    }
    results = model.signatures[0].outputs.isEmpty ? model.results.map(\.name) : []
    let nothing = SignatureDescription(key: "", inputs: [], outputs: [])
    trainingOperations = (operations ?? SavedModelUse.trainingOperations(of: model)).map { name in
      (name, model.placeholders(beside: nothing, operations: [name]).map(\.name))
    }
  }
}
