// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a .tflite file says of itself beyond its tensors: who made it, what its values mean.
///
/// Source: the TensorFlow Lite metadata, a flatbuffer in the model's file with the identifier
/// `M001`, and files that stand in a zip behind it. Nothing of it decides how a model runs; all of
/// it is optional, and a damaged part is left out and told in ``problems``.
///
/// ```swift
/// let model = try LiteRTBackend().liteRTModel(at: "classifier.tflite")
/// let labels = model.metadata?.outputs.first?.labels
/// ```
public struct ModelMetadata: Hashable, Sendable {
  /// The model's name.
  public var name: String?
  /// What the model does.
  public var description: String?
  /// The model's version.
  public var version: String?
  /// Who made the model.
  public var author: String?
  /// The model's license.
  public var license: String?
  /// The inputs, in the order of the model's main graph.
  public var inputs: [TensorMetadata]
  /// The outputs, in the order of the model's main graph.
  public var outputs: [TensorMetadata]
  /// What could not be read, a sentence each; empty when all is well.
  public var problems: [String]

  /// Makes metadata.
  public init(
    name: String? = nil, description: String? = nil, version: String? = nil,
    author: String? = nil, license: String? = nil, inputs: [TensorMetadata] = [],
    outputs: [TensorMetadata] = [], problems: [String] = []
  ) {
    self.name = name
    self.description = description
    self.version = version
    self.author = author
    self.license = license
    self.inputs = inputs
    self.outputs = outputs
    self.problems = problems
  }
}
