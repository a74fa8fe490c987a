// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension ModelLoader {
  /// Makes the model that runs a bundle, also one that can be trained; nil for a placeholder, and for
  /// a class that does not run in a backend.
  func inferenceModel(from bundle: ModelBundle) throws -> InferenceModel? {
    let model = try makeModel(from: bundle)
    return model is TrainableModel
      ? try InferenceModel(bundle: bundle, loader: self) : model as? InferenceModel
  }
}
