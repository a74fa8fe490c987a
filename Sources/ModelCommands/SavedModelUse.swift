// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOTensorFlow

/// What one wants of a SavedModel without a bundle: the graph for inference, where it has one.
struct SavedModelUse {
  /// The tags of all graphs.
  let graphs: [[String]]
  /// The modes that load the graph.
  let modes: ModelModes

  /// Looks into the file; TensorFlow's library need not be there.
  ///
  /// - Throws: ``TensorIOError`` when the folder is no SavedModel.
  init(ofModelAt path: String, with backend: TensorFlowBackend) throws {
    graphs = try backend.graphTags(ofModelAt: path)
    modes = !graphs.contains(["serve"]) && graphs.contains(["train"]) ? .train : .predict
  }

  /// The operation of a training step in a graph for training, by the names that it usually has.
  static func trainingOperations(of model: TensorFlowModel) -> [String] {
    guard model.tags.contains("train") else { return [] }
    return Array(["train", "train_op"].filter(model.hasOperation).prefix(1))
  }
}
