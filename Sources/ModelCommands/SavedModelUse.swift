// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTensorFlow

/// The graph of a SavedModel that is used without a bundle: the one for inference, if there is one.
struct SavedModelUse {
  /// The tags of every graph.
  let graphs: [[String]]
  /// The modes that load the graph.
  let modes: ModelModes

  /// Reads the file, which doesn't need the TensorFlow library.
  ///
  /// - Throws: ``TensorIOError`` when the folder isn't a SavedModel.
  init(ofModelAt path: String, with backend: TensorFlowBackend) throws {
    graphs = try backend.graphTags(ofModelAt: path)
    modes = !graphs.contains(["serve"]) && graphs.contains(["train"]) ? .train : .predict
  }

  /// Returns the operation of a training step, if the graph has one with a common name.
  static func trainingOperations(of model: TensorFlowModel) -> [String] {
    guard model.tags.contains("train") else { return [] }
    return Array(["train", "train_op"].filter(model.hasOperation).prefix(1))
  }
}
