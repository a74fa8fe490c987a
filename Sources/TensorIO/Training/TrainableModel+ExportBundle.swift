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
  /// Writes a bundle for inference with the weights that the model has learned.
  ///
  /// The new bundle has the mode `predict`, the model with its current weights, the assets, and the
  /// rest of this bundle's description. Any loader opens it.
  ///
  /// Inputs and outputs that only the training needs, such as targets and the loss, are left out if
  /// the model shows which these are. It does so with a second signature for inference, such as
  /// `serving_default`, or with outputs that can be computed without some of the inputs. Outputs of
  /// the signature that model.json does not describe become arrays. If every output needs every
  /// input, all layers are kept unless you name the outputs.
  ///
  /// TensorFlow Lite cannot write models. The new bundle of such a model is a copy of this one, with
  /// the weights in a safetensors file that model.json's `weights` names. It keeps its modes, so it
  /// can be trained further.
  ///
  /// - Parameters:
  ///   - path: The folder to create, NAME.tiobundle. It appears only when it is complete, and never
  ///     replaces an existing file or folder.
  ///   - outputs: The outputs to describe, along with the inputs that they need. A name is that of
  ///     an output in model.json or of a tensor in the model, which becomes an array. Nil chooses
  ///     the outputs for inference.
  /// - Throws: ``TensorIOError`` when an output is unknown, when the folder cannot be written, or
  ///   when the runtime can write neither models nor weights.
  public func exportBundle(to path: String, outputs: [String]? = nil) throws {
    try exportBundle(to: path, outputs: outputs, classes: [])
  }

  /// Writes a bundle as the public method does.
  ///
  /// - Parameters:
  ///   - path: The folder to create.
  ///   - outputs: The outputs to describe.
  ///   - classes: The names of the classes, which become the labels of outputs that have as many
  ///     numbers and no labels.
  ///   - isLasting: Whether the bundle must survive a power failure, unlike a temporary one.
  /// - Throws: The errors of the public method.
  package func exportBundle(
    to path: String, outputs: [String]?, classes: [String], isLasting: Bool = true
  ) throws {
    let writer = BundleWriter(destination: path, isLasting: isLasting)
    try writer.checkDestination()
    let backend = try inference.loader.backend(for: bundle)
    try withWeights { model in
      try model.checkExport()
      var labels = ClassLabels(classes, for: bundle)
      if model.keepsWeightsBesideModel {
        return try exportWeights(of: model, writer, outputs, labels)
      }
      let layers = try predictionLayers(of: model, outputs)
      let document = try PredictionDocument(of: bundle, layers, &labels)
      try writer.write { folder in
        try model.exportModel(to: folder + "/" + PredictionDocument.modelFile)
        try Data(document.text.utf8).write(to: URL(filePath: folder + "/model.json"))
        try copyAssets(to: folder)
        try labels.write(toBundle: folder)
      } check: { written in
        try layers.check(written, matchesByName: backend.matchesLayersByName)
      }
    }
  }

  /// Writes a copy of the bundle with the weights in a file of their own.
  private func exportWeights(
    of model: any TrainableLoadedModel, _ writer: BundleWriter, _ outputs: [String]?,
    _ labels: ClassLabels
  ) throws {
    var labels = labels
    try Self.refuseOutputs(outputs)
    let source = bundle.path + "/model.json"
    guard case .object(var root) = try JSONValue(parsing: FileSystem.read(source)),
      case .object(var members) = root["model"]
    else {
      throw TensorIOError(.invalidBundle, "'\(source)' isn't a valid model.json any more.")
    }
    members["weights"] = .string(Self.weightsFile)
    root["model"] = .object(members)
    labels.add(to: &root)
    let text = OrderedJSON(.object(root)).text
    let file = bundle.manifest.model.file
    try writer.write { folder in
      try FileManager.default.createDirectory(
        atPath: FileSystem.folder(of: folder + "/" + file), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: bundle.path + "/" + file, toPath: folder + "/" + file)
      try model.exportWeights(to: folder + "/" + Self.weightsFile)
      try Data(text.utf8).write(to: URL(filePath: folder + "/model.json"))
      try copyAssets(to: folder)
      try labels.write(toBundle: folder)
    }
  }

  /// The name of the file with the weights in a bundle that is written.
  private static var weightsFile: String { "weights.safetensors" }

  private static func refuseOutputs(_ outputs: [String]?) throws {
    guard let outputs else { return }
    throw TensorIOError(
      .invalidOption,
      "The bundle of a TensorFlow Lite model keeps the outputs of its model.json, so the outputs "
        + "\(quotedList(outputs)) cannot be chosen. Leave them out.")
  }

  private func copyAssets(to folder: String) throws {
    let assets = bundle.path + "/assets"
    guard FileSystem.isFolder(assets) else { return }
    try FileManager.default.copyItem(atPath: assets, toPath: folder + "/assets")
  }

  /// Checks, before a long training, that the bundle can be exported afterwards.
  ///
  /// - Returns: The inputs of the exported bundle if no known output can be computed without one of
  /// them, such as the labels. Empty if the exported bundle is for inference.
  package func checkExport(outputs: [String]?) throws -> [String] {
    try withWeights { model in
      try model.checkExport()
      if model.keepsWeightsBesideModel {
        try Self.refuseOutputs(outputs)
        return []
      }
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
