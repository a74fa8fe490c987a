// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The layers of a model.json, each with its tensor.
struct BoundSignature: Sendable {
  let inputs: [BoundLayer]
  let placeholders: [BoundLayer]
  let outputs: [BoundLayer]
  let inputSpecs: [TensorSpec]
  /// Whether each input may be left out of a run; empty when all are required.
  let optionalInputs: [Bool]
  let placeholderSpecs: [TensorSpec]
  let layout: OutputLayout

  init(inputs: [BoundLayer], placeholders: [BoundLayer], outputs: [BoundLayer]) {
    self.inputs = inputs
    self.placeholders = placeholders
    self.outputs = outputs
    self.inputSpecs = inputs.map(\.spec)
    let isOptional = inputs.map(\.tensor.hasDefault)
    self.optionalInputs = isOptional.contains(true) ? isOptional : []
    self.placeholderSpecs = placeholders.map(\.spec)
    self.layout = OutputLayout(outputs.map(\.spec), inputs: inputSpecs)
  }

  /// Whether the model or its description declares the first axis as the batch axis.
  ///
  /// The declaration promises that the results of an item depend only on that item. Nothing else
  /// shows whether a model mixes its items.
  var declaresBatches: Bool {
    !inputs.isEmpty && inputs.allSatisfy { $0.tensor.shape.first == -1 || $0.spec.isBatched }
  }

  /// Returns the shapes of the inputs and placeholders, in the model's order, for a number of
  /// items; nil when an input does not fit that many because it has no batch axis.
  ///
  /// Placeholders, such as a learning rate, have one value, however many items there are.
  func inputShapes(forItems count: Int) -> [[Int]]? {
    var shapes = [[Int]](repeating: [], count: inputs.count + placeholders.count)
    for input in inputs {
      guard let shape = input.shape(forItems: count) else { return nil }
      shapes[input.index] = shape
    }
    for placeholder in placeholders {
      guard let shape = placeholder.shape(forItems: 1) else { return nil }
      shapes[placeholder.index] = shape
    }
    return shapes
  }
}

/// A layer and its tensor.
///
/// It is a class so that runs do not copy the spec.
final class BoundLayer: Sendable {
  /// The tensor's index in the model's signature.
  let index: Int
  let spec: TensorSpec
  /// The model's own description of the tensor.
  let tensor: TensorDescription

  init(index: Int, spec: TensorSpec, tensor: TensorDescription) {
    self.index = index
    self.spec = spec
    self.tensor = tensor
  }

  /// Returns the tensor's shape for a number of items; nil when the layer does not fit the tensor.
  func shape(forItems count: Int) -> [Int]? {
    let item = spec.itemShape
    if tensor.rankIsUnknown {
      if spec.isBatched { return [count] + item }
      guard count == 1 else { return nil }
      if case .scalar = spec.kind { return [] }
      return item
    }
    // TensorFlow's placeholders often state the shape of one item although they take a batch. The
    // layer's shape is then the right one.
    if tensor.shapeIsHint, spec.isBatched, tensor.shape.first != -1,
      tensor.elementCount == spec.elementCount
    {
      return [count] + item
    }
    // The layer describes every axis of the tensor, and the first one is longer than 1.
    if !spec.isBatched, let first = item.first, first > 1, item.count == tensor.shape.count,
      zip(item, tensor.shape).allSatisfy({ $1 < 0 || $0 == $1 })
    {
      return count == 1 ? item : nil
    }
    // The tensor has a batch axis in front: an open one, one of length 1, or one that the layer
    // declares.
    if let first = tensor.shape.first, first == -1 || first == 1 || spec.isBatched,
      let rest = Self.fill(tensor.shape.dropFirst(), from: item, elementCount: spec.elementCount)
    {
      return [count] + rest
    }
    guard count == 1 else { return nil }
    return Self.fill(tensor.shape[...], from: item, elementCount: spec.elementCount)
  }

  /// Fills open axes with the layer's lengths; returns nil when the two shapes cannot match.
  private static func fill(_ axes: ArraySlice<Int>, from item: [Int], elementCount: Int) -> [Int]? {
    var filled = Array(axes)
    let open = filled.indices.filter { filled[$0] < 0 }
    if open.count == 1 {
      guard let known = filled.filter({ $0 >= 0 }).elementCount, known > 0,
        elementCount % known == 0
      else { return nil }
      filled[open[0]] = elementCount / known
    } else if open.count > 1 {
      guard item.count == filled.count,
        zip(item, filled).allSatisfy({ $1 < 0 || $0 == $1 })
      else { return nil }
      filled = item
    }
    return filled.elementCount == elementCount ? filled : nil
  }
}

extension ModelSignature {
  /// Makes the signature from model.json alone, before the model is loaded.
  package init(of bundle: ModelBundle) {
    func spec(_ layer: ModelManifest.Layer) -> TensorSpec {
      let kind: TensorSpec.Kind =
        switch layer.kind {
        case .array(let quantization, _): .vector(quantization, labels: bundle.labels(of: layer))
        case .scalar(let quantization): .scalar(quantization)
        case .imageInput(let shape, let preprocessing): .imageInput(shape, preprocessing)
        case .imageOutput(let shape, let denormalization): .imageOutput(shape, denormalization)
        case .classMap(let shape, _): .classMap(shape, labels: bundle.labels(of: layer))
        case .string: .bytes
        }
      let assumed: DataType = bundle.manifest.model.isQuantized ? .uint8 : .float32
      return TensorSpec(
        name: layer.name, shape: layer.shape, dataType: layer.dataType ?? assumed, kind: kind,
        coding: bundle.coding(of: layer))
    }
    self.init(
      inputs: bundle.manifest.inputs.map(spec), outputs: bundle.manifest.outputs.map(spec),
      placeholders: bundle.manifest.placeholders.map(spec))
  }
}
