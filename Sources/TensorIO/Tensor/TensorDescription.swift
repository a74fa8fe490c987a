// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a model itself says of one of its tensors.
public struct TensorDescription: Hashable, Sendable, Codable {
  /// The name in the model's signature or graph.
  public var name: String
  /// The type of the elements; nil for one that this library does not know.
  public var dataType: DataType?
  /// The model's own word for the type.
  public var typeName: String
  /// The lengths of the axes; -1 where the length is only known at run time.
  public var shape: [Int]
  /// Whether the model does not even tell how many axes there are; ``shape`` is [-1] then.
  public var rankIsUnknown = false
  /// Whether the runtime takes other shapes than the one that the model states.
  public var shapeIsHint = false
  /// Whether a run does without a value for this input: the model has one of its own, or nothing that
  /// is read depends on it.
  public var hasDefault = false
  /// The scale and zero point, when the tensor is quantized.
  public var quantization: StoredQuantization?

  /// Makes a description.
  public init(
    name: String, dataType: DataType?, typeName: String? = nil, shape: [Int],
    quantization: StoredQuantization? = nil
  ) {
    self.name = name
    self.dataType = dataType
    self.typeName = typeName ?? dataType?.rawValue ?? "unknown"
    self.shape = shape
    self.quantization = quantization
  }

  /// The number of elements, an axis of unknown length counted as 1; `Int.max` when a shape is too
  /// large to be a tensor's.
  public var elementCount: Int { shape.map { $0 < 0 ? 1 : $0 }.elementCount ?? .max }
}

/// The inputs and outputs of one way to run a model.
public struct SignatureDescription: Hashable, Sendable, Codable {
  /// The signature's key; models without signatures have one with an empty key.
  public var key: String
  /// The inputs, in the order that the model counts them.
  public var inputs: [TensorDescription]
  /// The outputs, in the order that the model counts them.
  public var outputs: [TensorDescription]
  /// Whether a run is a training step, so that only training sessions are run.
  public var isTrainingStep = false

  /// Makes a description.
  public init(key: String, inputs: [TensorDescription], outputs: [TensorDescription]) {
    self.key = key
    self.inputs = inputs
    self.outputs = outputs
  }
}
