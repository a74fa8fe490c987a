// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension InferenceModel {
  /// Loads a bundle's model and runs it once on zeros.
  ///
  /// If the loader's backends run models in separate processes, a model that crashes is reported as
  /// an error.
  ///
  /// - Parameters:
  ///   - bundle: The bundle. A placeholder has no model, so it always passes.
  ///   - loader: The loader to load it with.
  /// - Throws: ``TensorIOError`` when the model cannot be loaded or cannot run.
  package static func tryOut(_ bundle: ModelBundle, with loader: ModelLoader) throws {
    guard !bundle.manifest.isPlaceholder else { return }
    let model = try InferenceModel(bundle: bundle, loader: loader)
    try model.load()
    defer { model.unload() }
    // The valid values of placeholders are unknown, so a model with placeholders is only loaded.
    guard try model.loadSignature().placeholders.isEmpty, !bundle.manifest.describesTraining else {
      return
    }
    _ = try model.run(.zeros(for: model.loadSignature(), longestSide: 256))
  }
}
