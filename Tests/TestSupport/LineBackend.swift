// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import TensorIO

/// A backend in memory whose models learn a line, y = weight * x + bias, by gradient descent.
///
/// Use it to test code that trains models, and as the smallest example of a backend that supports
/// training.
///
/// Layers are matched to tensors by name. The signature `train` has the inputs `x` and `target` of
/// shape (-1, 1), and the placeholder `learning_rate`, which is 0.1 when it isn't fed. Its outputs
/// are `loss`, the mean of the squared errors; `errors`, the squared error of each item, of shape
/// (-1); and `y` of shape (-1, 1). The signature `serving_default` is `x` -> `y`. The operation of
/// a training step is `step`.
///
/// A model is a folder with a file saved_model.pb. If that file is empty, the weight and the bias
/// are 0.
package struct LineBackend: Backend {
  package let name = "tensorflow"
  package let matchesLayersByName = true
  /// The record of what the models were trained on.
  package let record = LineRecord()
  /// A closure that is called at the start of every training step with the number of items.
  ///
  /// It is called on the step's own thread, and may wait, count, or throw an error.
  package var onStep: (@Sendable (_ items: Int) throws -> Void)?

  /// Whether the models have the signature `serving_default`.
  package var servesInference = true
  /// Whether the training signature has the output `y`, which needs no target.
  package var givesPredictions = true
  /// Whether computing the outputs trains the model, as with a single signature of TensorFlow 2.
  package var onlyTrains = false

  package init(onStep: (@Sendable (_ items: Int) throws -> Void)? = nil) { self.onStep = onStep }

  package func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    let text = String(decoding: try FileSystem.read(path + "/saved_model.pb"), as: UTF8.self)
    return LineModel(
      text.isEmpty ? LineModel.Weights() : try LineModel.weights(text), of: self)
  }
}

/// A record of what the models of a ``LineBackend`` were trained on.
package final class LineRecord: Sendable {
  private let seen = Mutex<[[Float]]>([])

  init() {}

  /// The values of `x` in every training step, in order.
  package var steps: [[Float]] { seen.withLock { $0 } }

  func note(_ x: [Float]) { seen.withLock { $0.append(x) } }
}
