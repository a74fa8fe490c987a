// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The inputs and outputs of a model, by index and by name.
public struct ModelSignature: Sendable, Hashable {
  /// The inputs, in the order of model.json.
  public let inputs: [TensorSpec]
  /// The outputs, in the order of model.json.
  public let outputs: [TensorSpec]
  /// The placeholders: values that are fed in addition to the inputs.
  public let placeholders: [TensorSpec]

  /// Makes a signature.
  public init(inputs: [TensorSpec], outputs: [TensorSpec], placeholders: [TensorSpec] = []) {
    self.inputs = inputs
    self.outputs = outputs
    self.placeholders = placeholders
  }

  /// Returns the input with this name.
  public func input(named name: String) -> TensorSpec? { inputs.first { $0.name == name } }
  /// Returns the output with this name.
  public func output(named name: String) -> TensorSpec? { outputs.first { $0.name == name } }
  /// Returns the placeholder with this name.
  public func placeholder(named name: String) -> TensorSpec? {
    placeholders.first { $0.name == name }
  }
}
