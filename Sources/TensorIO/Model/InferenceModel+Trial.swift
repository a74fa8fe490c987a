// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension InferenceModel {
  /// Loads a bundle's model and runs it once on zeros.
  ///
  /// With a loader whose backends run models in processes of their own, a model that crashes is an
  /// error here.
  ///
  /// - Parameters:
  ///   - bundle: The bundle. A placeholder has no model, and passes.
  ///   - loader: What loads it.
  /// - Throws: ``TensorIOError`` when it cannot be loaded, or cannot run.
  package static func tryOut(_ bundle: ModelBundle, with loader: ModelLoader) throws {
    guard !bundle.manifest.isPlaceholder else { return }
    let model = try InferenceModel(bundle: bundle, loader: loader)
    try model.load()
    defer { model.unload() }
    // Nothing says which values a model takes for its placeholders, so loading it has to do.
    guard try model.signature.placeholders.isEmpty, !bundle.manifest.describesTraining else {
      return
    }
    _ = try model.run(.zeros(for: model.signature, longestSide: 256))
  }
}
