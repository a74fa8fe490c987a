// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model's own description of one of its tensors.
public struct TensorDescription: Hashable, Sendable, Codable {
  /// The name in the model's signature or graph.
  public var name: String
  /// The type of the elements; nil for a type that this library does not know.
  public var dataType: DataType?
  /// The model's own name for the type.
  public var typeName: String
  /// The lengths of the axes; -1 if a length is only known at run time.
  public var shape: [Int]
  /// Whether the number of axes is unknown, in which case ``shape`` is [-1].
  public var rankIsUnknown = false
  /// Whether the runtime takes shapes other than the one that the model states.
  public var shapeIsHint = false
  /// Whether a run works without a value for this input.
  ///
  /// The model then has a default, or no output that is read depends on the input.
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

  /// The number of elements, with axes of unknown length counted as 1.
  ///
  /// It is `Int.max` when a shape is too large for a tensor.
  public var elementCount: Int { shape.map { $0 < 0 ? 1 : $0 }.elementCount ?? .max }
}

/// The inputs and outputs of one way to run a model.
public struct SignatureDescription: Hashable, Sendable, Codable {
  /// The signature's key; a model without signatures has one with an empty key.
  public var key: String
  /// The inputs, in the model's order.
  public var inputs: [TensorDescription]
  /// The outputs, in the model's order.
  public var outputs: [TensorDescription]
  /// Whether every run is a training step, so that only training sessions can run.
  public var isTrainingStep = false

  /// Makes a description.
  public init(key: String, inputs: [TensorDescription], outputs: [TensorDescription]) {
    self.key = key
    self.inputs = inputs
    self.outputs = outputs
  }
}

extension Collection where Element == Int {
  /// The number of elements of a tensor with these axes.
  ///
  /// It is nil when a length is negative or when the product is more than a runtime supports (2^31
  /// - 1). These checks are needed because shapes come from files.
  @inlinable package var elementCount: Int? {
    var count = 1
    for length in self {
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      guard length >= 0, !overflow, product <= Int(Int32.max) else { return nil }
      count = product
    }
    return count
  }
}
