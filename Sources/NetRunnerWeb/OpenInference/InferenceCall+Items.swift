// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import TensorIO

extension InferenceCall {
  /// Returns the values of each item of the request.
  ///
  /// The first axis of each input is the items, whether the model runs them together or not.
  func items(for model: InferenceModel) throws -> [ModelInputs] {
    let signature = try model.loadSignature()
    try checkOutputs(of: signature)
    let found = try inputs.map { tensor in
      guard let spec = signature.input(named: tensor.name) else {
        throw WebError.badRequest(
          "The model has no input '\(tensor.name)'. Its inputs are "
            + quotedList(signature.inputs.map(\.name)) + ".")
      }
      return (tensor: tensor, spec: spec, count: tensor.itemCount(for: spec))
    }
    let count = found.map(\.count).max() ?? 1
    if let other = found.first(where: { $0.count != count }) {
      // If its shape fits no item at all, the error says so.
      _ = try other.tensor.value(for: other.spec, InferenceRunner.decoder)
      throw WebError.badRequest(
        "'\(other.tensor.name)' has \(counted(other.count, "item")), but another input has "
          + "\(count). The first axis of every input must have the same length.")
    }
    guard count <= Self.mostItems else {
      throw WebError.badRequest(
        "The request has \(count) items. Send at most \(Self.mostItems) in one request.")
    }
    return try (0..<count).map { index in
      var values: [String: any TensorEncodable] = [:]
      for (tensor, spec, _) in found {
        let item = count == 1 ? tensor : try tensor.item(index, of: count)
        values[tensor.name] = try item.value(for: spec, InferenceRunner.decoder)
      }
      return ModelInputs(values)
    }
  }

  /// Checks the requested outputs before the model runs.
  private func checkOutputs(of signature: ModelSignature) throws {
    for output in outputs {
      let spec = signature.outputs[try output.position(in: signature.outputs.map(\.name))]
      if output.classes > 0 { _ = try Output.labels(of: spec) }
    }
  }

  /// The maximum number of items in a request.
  private static let mostItems = 4096
}

extension InferenceCall.Output {
  /// Returns the position of the output among those of the model.
  func position(in names: [String]) throws -> Int {
    guard let index = names.firstIndex(of: name) else {
      throw WebError.badRequest(
        "The model has no output '\(name)'. Its outputs are \(quotedList(names)).")
    }
    return index
  }

  /// Returns the labels of an output whose best classes are requested.
  static func labels(of spec: TensorSpec) throws -> [String] {
    guard let labels = spec.labels?.names else {
      throw WebError.badRequest(
        "The output '\(spec.name)' has no labels, so 'classification' isn't supported for it.")
    }
    return labels
  }
}

extension WireTensor {
  /// The number of items: the length of the first axis if the others are those of one item.
  fileprivate func itemCount(for spec: TensorSpec) -> Int {
    if spec.isImage {
      if case .strings(let files) = elements { return max(1, files.count) }
      if type == .uint8, shape.count == 4 { return max(1, shape[0]) }
    }
    let expected = (type == spec.wireType ? spec.wireShape : spec.rawWireShape).filter { $0 != 1 }
    guard let first = shape.first, first > 1, shape.filter({ $0 != 1 }) != expected,
      shape.dropFirst().filter({ $0 != 1 }) == expected
    else { return 1 }
    return first
  }

  /// Returns an item, whose first axis has the length 1.
  fileprivate func item(_ index: Int, of count: Int) throws -> WireTensor {
    let size = elements.count / count
    let shape = shape.isEmpty ? [] : [1] + shape.dropFirst()
    return try WireTensor(
      name: name, type: type, shape: shape,
      elements: elements.part((index * size)..<((index + 1) * size)))
  }

  /// Joins the tensors of several items, which have the same type and shape.
  static func joined(_ items: [WireTensor]) throws -> WireTensor {
    guard let first = items.first else { throw WebError.badRequest("The request has no items.") }
    guard items.count > 1 else { return first }
    let axes = first.shape.first == 1 ? Array(first.shape.dropFirst()) : first.shape
    guard items.allSatisfy({ $0.shape == first.shape }) else {
      throw WebError(
        status: .internalServerError, code: "inference_failed",
        message: "The items have outputs '\(first.name)' of different lengths. Send them in "
          + "requests of their own.")
    }
    return try WireTensor(
      name: first.name, type: first.type, shape: [items.count] + axes,
      elements: WireElements(joining: items.map(\.elements)))
  }
}
#endif
