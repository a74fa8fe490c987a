// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// One input or output of a model: its name, shape and type, and how its values are converted.
///
/// A spec comes from a layer of model.json. When the model is loaded, the model's own data type and
/// stored quantization complete it. Values are encoded and decoded according to it.
public struct TensorSpec: Hashable, Sendable {
  /// The name for passing or reading the value.
  public let name: String
  /// The lengths of the axes in row-major order; a leading -1 is the batch axis.
  public let shape: [Int]
  /// The type of the elements in the tensor.
  public let dataType: DataType
  /// What the values mean.
  public let kind: Kind
  /// The scale and zero point stored in the model for this tensor.
  public let storedQuantization: StoredQuantization?
  /// How an output is decoded, perhaps with others, or an input is made from a sound, a text or a row
  /// of a table; nil for values that are written and read as they are.
  public let coding: LayerCoding?
  /// The number of elements of one item: the product of ``itemShape``.
  public let elementCount: Int
  /// The index of the first element to write within the item.
  ///
  /// A nested array writes its rows one by one. Indices in errors and channels are counted from
  /// here.
  package private(set) var offset = 0

  /// What the values of a layer mean.
  public enum Kind: Hashable, Sendable {
    /// Numbers, and the names of the classes if there are any (outputs only).
    case vector(Quantization?, labels: Labels?)
    /// One number.
    case scalar(Quantization?)
    /// An image input.
    case imageInput(ImageShape, ImagePreprocessing)
    /// An image output.
    case imageOutput(ImageShape, PixelDenormalization?)
    /// A class for each pixel, and the names of the classes if there are any (outputs only).
    case classMap(ClassMapShape, labels: Labels?)
    /// Raw bytes of the layer's data type, or text if that type is string.
    case bytes
  }

  /// Makes a spec.
  public init(
    name: String, shape: [Int], dataType: DataType = .float32, kind: Kind,
    storedQuantization: StoredQuantization? = nil, coding: LayerCoding? = nil
  ) {
    self.name = name
    self.shape = shape
    self.dataType = dataType
    self.kind = kind
    self.storedQuantization = storedQuantization
    self.coding = coding
    self.elementCount = (shape.first == -1 ? shape.dropFirst() : shape[...]).reduce(1, *)
  }

  /// Returns the spec for a part of the memory, which starts at an element.
  package func part(from element: Int) -> TensorSpec {
    var part = self
    part.offset += element
    return part
  }

  /// The same layer of floating-point numbers.
  var unquantized: TensorSpec {
    let kind: Kind = if case .imageInput = kind { kind } else { .vector(nil, labels: nil) }
    return TensorSpec(name: name, shape: shape, kind: kind, coding: coding)
  }

  /// Whether the first axis is the batch axis, which is written as -1.
  public var isBatched: Bool { shape.first == -1 }

  /// The shape of one item, without the batch axis.
  public var itemShape: [Int] { isBatched ? Array(shape.dropFirst()) : shape }

  /// The number of bytes of one item; 0 for strings.
  public var byteCount: Int { elementCount * dataType.byteWidth }

  /// The quantization of a vector or scalar.
  public var quantization: Quantization? {
    switch kind {
    case .vector(let quantization, _), .scalar(let quantization): quantization
    case .imageInput, .imageOutput, .classMap, .bytes: nil
    }
  }

  /// The names of the classes.
  public var labels: Labels? {
    switch kind {
    case .vector(_, let labels), .classMap(_, let labels): labels
    case .scalar, .imageInput, .imageOutput, .bytes: nil
    }
  }

  /// Whether the layer is an input of the type `audio`.
  package var isAudio: Bool { coding?.type == "audio" }

  /// Whether the layer is an input of the type `features`.
  package var isFeatures: Bool { coding?.type == "features" }

  /// Whether the layer is an input of the type `text`.
  package var isText: Bool { coding?.type == "text" }

  /// Whether the layer is an output with the decoder `binary`, whose number decides two classes.
  package var isBinary: Bool { coding?.type == "binary" }

  package var isImage: Bool {
    switch kind {
    case .imageInput, .imageOutput: true
    case .vector, .scalar, .classMap, .bytes: false
    }
  }
}

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
