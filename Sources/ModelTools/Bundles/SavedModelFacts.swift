// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOTensorFlow

/// What a SavedModel says about itself, apart from its signatures.
struct SavedModelFacts {
  /// The graph that was read.
  let model: TensorFlowModel
  /// The tags of every graph.
  let graphs: [[String]]
  let files: [SavedModelFile]
  /// The placeholders that each signature needs in addition to its inputs.
  let placeholders: [[TensorDescription]]
  /// The names in the graph, by the names that layers use, for each signature.
  let graphNames: [[String: String]]
  /// The tensors that are probably the graph's results, if no signature lists them.
  let results: [String]
  /// The operations of a training step, and the placeholders that each needs.
  let trainingOperations: [(name: String, needs: [String])]

  /// Nil operations of a training step are looked for under their common names.
  init(
    _ model: TensorFlowModel, at path: String, graphs: [[String]], operations: [String]?
  ) throws {
    self.model = model
    self.graphs = graphs
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

struct SavedModelFile {
  /// The path within the folder.
  var name: String
  var byteCount: Int

  /// Returns the files of a folder without hidden ones, sorted by name.
  static func all(in folder: String) throws -> [SavedModelFile] {
    try names(in: folder, prefix: "").sorted().map { name in
      guard let count = FileSystem.byteCount(of: folder + "/" + name) else {
        throw TensorIOError(.unreadableFile, "'\(folder)/\(name)' can't be read.")
      }
      return SavedModelFile(name: name, byteCount: count)
    }
  }

  private static func names(in folder: String, prefix: String) throws -> [String] {
    try FileSystem.contents(of: folder).filter { !$0.hasPrefix(".") }.flatMap { name in
      FileSystem.isFolder(folder + "/" + name)
        ? try names(in: folder + "/" + name, prefix: prefix + name + "/") : [prefix + name]
    }
  }
}

/// The graph of a SavedModel that is used without a bundle: the one for inference, if there is one.
package struct SavedModelUse {
  /// The tags of every graph.
  package let graphs: [[String]]
  /// The modes that load the graph.
  package let modes: ModelModes

  /// Reads the file, which doesn't need the TensorFlow library.
  package init(ofModelAt path: String, with backend: TensorFlowBackend) throws {
    graphs = try backend.graphTags(ofModelAt: path)
    modes = !graphs.contains(["serve"]) && graphs.contains(["train"]) ? .train : .predict
  }

  /// Returns the operation of a training step, if the graph has one with a common name.
  static func trainingOperations(of model: TensorFlowModel) -> [String] {
    guard model.tags.contains("train") else { return [] }
    return Array(["train", "train_op"].filter(model.hasOperation).prefix(1))
  }
}
