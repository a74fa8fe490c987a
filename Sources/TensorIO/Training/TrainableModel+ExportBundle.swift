// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TrainableModel {
  /// Writes a bundle for inference with what the model has learned.
  ///
  /// It has the mode `predict`, the model with its present weights, the assets, and all else that
  /// this bundle says of itself. Any loader opens it.
  ///
  /// What only the training needs, as targets and the loss, is left out where the model tells what
  /// that is: by a signature for inference beside the training's, as `serving_default`, or by outputs
  /// that can be computed without some of the inputs. Outputs of the signature that the bundle does
  /// not describe become arrays. When every output needs every input, all of them stay as they are,
  /// unless you name the outputs.
  ///
  /// - Parameters:
  ///   - path: The folder to make, NAME.tiobundle. It appears when it is complete; nothing that is
  ///     there is replaced.
  ///   - outputs: The outputs to describe, and with them the inputs that they need: names of
  ///     outputs in model.json, or of tensors of the model, which become arrays. Nil takes those for
  ///     inference.
  /// - Throws: ``TensorIOError`` when an output is not known, the folder cannot be written, or the runtime
  ///   cannot write models, as TensorFlow Lite's; ``export(to:)`` keeps the weights of those.
  public func exportBundle(to path: String, outputs: [String]? = nil) throws {
    let writer = BundleWriter(destination: path)
    try writer.checkDestination()
    let backend = try inference.loader.backend(for: bundle)
    try withWeights { model in
      try model.checkExport()
      let layers = try predictionLayers(of: model, outputs)
      let document = try PredictionDocument(of: bundle, layers)
      try writer.write { folder in
        try model.exportModel(to: folder + "/" + PredictionDocument.modelFile)
        try Data(document.text.utf8).write(to: URL(filePath: folder + "/model.json"))
        let assets = bundle.path + "/assets"
        if FileSystem.isFolder(assets) {
          try FileManager.default.copyItem(atPath: assets, toPath: folder + "/assets")
        }
      } check: { written in
        try layers.check(written, matchesByName: backend.matchesLayersByName)
      }
    }
  }

  /// Checks, before a long training, that the bundle could be exported after it.
  ///
  /// - Returns: The inputs that the exported bundle would still take because no output is known that
  ///   does without one of them, labels among them; empty when the bundle is for inference.
  /// - Throws: ``TensorIOError`` when an output is not known, or the runtime cannot write models.
  package func checkExport(outputs: [String]?) throws -> [String] {
    try withWeights { model in
      try model.checkExport()
      let layers = try predictionLayers(of: model, outputs)
      return layers.isForTraining ? layers.inputs : []
    }
  }

  private func predictionLayers(
    of model: any TrainableLoadedModel, _ outputs: [String]?
  ) throws -> PredictionLayers {
    try PredictionLayers(
      of: model, bundle.manifest, signatureKey: inference.loader.signatureKey, outputs: outputs)
  }
}
