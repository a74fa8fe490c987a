// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A backend in memory whose models learn a line, y = weight * x + bias, by gradient descent: for
/// tests of what trains models, and the smallest example of a backend that can.
///
/// Layers find their tensors by name. The signature `train` has the inputs `x` and `target` (-1, 1),
/// the placeholder `learning_rate` (0.1 where it is not fed) and the outputs `loss`, the mean of the
/// squared errors; `errors`, those of each item (-1); and `y` (-1, 1). The signature
/// `serving_default` is `x` -> `y`. The operation of a training step is `step`.
///
/// A model file is a folder with a saved_model.pb; a line without content has weight and bias 0.
public struct LineBackend: Backend {
  public let name = "tensorflow"
  public let matchesLayersByName = true
  /// What the models were trained on.
  public let record = LineRecord()
  /// Called at the start of every training step with the number of items, on the step's own thread:
  /// to wait, to count, or to throw.
  public var onStep: (@Sendable (_ items: Int) throws -> Void)?

  /// Whether the models have the signature `serving_default`.
  public var servesInference = true
  /// Whether the training's signature has the output `y`, which needs no target.
  public var givesPredictions = true

  /// Makes a backend.
  ///
  /// - Parameter onStep: Called at the start of every training step with the number of items.
  public init(onStep: (@Sendable (_ items: Int) throws -> Void)? = nil) { self.onStep = onStep }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    let text = String(decoding: try FileSystem.read(path + "/saved_model.pb"), as: UTF8.self)
    return LineModel(
      text.isEmpty ? LineModel.Weights() : try LineModel.weights(text), of: self)
  }
}
