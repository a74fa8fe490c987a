// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension RecognizedModel {
  /// Returns the model with what its parameters say.
  ///
  /// They describe a recording better than the shapes that suggest one.
  func completed(
    from parameters: ParameterDescription, about metadata: ModelMetadata?
  ) -> RecognizedModel {
    var model = self
    if let sound = parameters.sound {
      model = RecognizedModel()
      model.sound = sound
    }
    model.isStandardized = parameters.isStandardized
    if model.about == nil, metadata == nil { model.about = parameters.about }
    model.checks += parameters.checks
    return model
  }
}

extension ParameterDescription {
  /// Adds what the file's other metadata lacks.
  func complete(_ tensors: inout (inputs: [TensorMetadata?], outputs: [TensorMetadata?])) {
    if let labels, tensors.outputs[0]?.labels == nil {
      tensors.outputs[0] = tensors.outputs[0] ?? TensorMetadata()
      tensors.outputs[0]?.labels = labels
    }
    if let normalization, tensors.inputs[0]?.normalization == nil {
      tensors.inputs[0] = tensors.inputs[0] ?? TensorMetadata()
      tensors.inputs[0]?.normalization = normalization
    }
  }
}
