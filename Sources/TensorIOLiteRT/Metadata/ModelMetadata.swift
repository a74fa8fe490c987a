// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The descriptive metadata of a .tflite file, such as its author and the meaning of its values.
///
/// The source is the TensorFlow Lite metadata: a flatbuffer in the model's file with the identifier
/// `M001`, and files in a zip archive after it. The metadata never affects how a model runs. All of
/// it is optional. A damaged part is left out and reported in ``problems``.
///
/// ```swift
/// let model = try LiteRTBackend().liteRTModel(at: "classifier.tflite")
/// let labels = model.metadata?.outputs.first?.labels
/// ```
package struct ModelMetadata: Hashable, Sendable {
  /// The model's name.
  package var name: String?
  /// What the model does.
  package var description: String?
  /// The model's version.
  package var version: String?
  /// The model's author.
  package var author: String?
  /// The model's license.
  package var license: String?
  /// The inputs, in the order of the model's main graph.
  package var inputs: [TensorMetadata] = []
  /// The outputs, in the order of the model's main graph.
  package var outputs: [TensorMetadata] = []
  /// One sentence for each part that could not be read; empty when there are no problems.
  package var problems: [String] = []
}
