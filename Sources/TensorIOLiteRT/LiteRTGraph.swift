// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

/// Reads the signatures and tensors of a model.
struct LiteRTGraph {
  private let model: LiteRtModel
  private let functions: LiteRtFunctions
  /// The file's path, for messages.
  private let path: String

  init(_ file: LiteRTModelFile) {
    model = file.handle
    functions = file.library.functions
    path = file.path
  }

  /// LiteRT's key for the signature of a model without signatures.
  private static let placeholderKey = "<placeholder signature>"

  // MARK: - Signatures

  func signatures() throws -> [SignatureDescription] {
    let count = try self.count(functions.GetNumModelSignatures, of: model)
    guard count > 0 else {
      throw TensorIOError(
        .invalidModel,
        "The model '\(path)' has no signatures and no main graph, so there is nothing to run. "
          + "Export or download the model again.")
    }
    return try (0..<count).map { index in
      let (inputs, outputs) = try tensors(ofSignature: index)
      return SignatureDescription(
        key: try key(of: signature(at: index)), inputs: try inputs.map(describe),
        outputs: try outputs.map(describe))
    }
  }

  /// A tensor of a signature, with its name in the signature.
  struct NamedTensor {
    var name: String
    var tensor: LiteRtTensor
  }

  /// Returns the tensors of a signature.
  func tensors(
    ofSignature index: Int
  ) throws -> (inputs: [NamedTensor], outputs: [NamedTensor]) {
    let signature = try signature(at: index)
    let inputs = try tensors(
      of: signature, functions.GetNumSignatureInputs, functions.GetSignatureInputName,
      functions.GetSignatureInputTensorByIndex)
    let outputs = try tensors(
      of: signature, functions.GetNumSignatureOutputs, functions.GetSignatureOutputName,
      functions.GetSignatureOutputTensorByIndex)
    return (inputs, outputs)
  }

  private func signature(at index: Int) throws -> LiteRtSignature {
    var signature: LiteRtSignature?
    let status = functions.GetModelSignature(model, index, &signature)
    return try check(signature, status)
  }

  private func key(of signature: LiteRtSignature) throws -> String {
    var key: UnsafePointer<CChar>?
    let status = functions.GetSignatureKey(signature, &key)
    let text = String(cString: try check(key, status))
    return text == Self.placeholderKey ? "" : text
  }

  private typealias Count = @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int>?) -> Int32
  private typealias Name =
    @convention(c) (
      OpaquePointer?, Int, UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  private typealias Item =
    @convention(c) (
      OpaquePointer?, Int, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

  private func tensors(
    of signature: LiteRtSignature, _ count: Count, _ name: Name, _ item: Item
  ) throws -> [NamedTensor] {
    try (0..<self.count(count, of: signature)).map { index in
      var text: UnsafePointer<CChar>?
      let named = name(signature, index, &text)
      var tensor: LiteRtTensor?
      let found = item(signature, index, &tensor)
      return NamedTensor(
        name: String(cString: try check(text, named)),
        tensor: try check(tensor, found))
    }
  }

  // MARK: - Tensors

  private func describe(_ named: NamedTensor) throws -> TensorDescription {
    var typeID: Int32 = -1
    var type = LiteRtRankedTensorType()
    var status = functions.GetTensorTypeId(named.tensor, &typeID)
    if status == LiteRT.ok && typeID == LiteRT.rankedTensor {
      status = functions.GetRankedTensorType(named.tensor, &type)
    }
    guard status == LiteRT.ok, typeID == LiteRT.rankedTensor else {
      throw TensorIOError(
        .unsupportedModel,
        "The tensor '\(named.name)' of '\(path)' has an unknown rank, which LiteRT doesn't "
          + "support. Convert the model with a known rank.")
    }
    let shape = type.layout.shape
    guard shape.map({ $0 < 0 ? 1 : $0 }).elementCount != nil else {
      throw TensorIOError(
        .unsupportedModel,
        "The tensor '\(named.name)' of '\(path)' has the shape \(shape), which has more than "
          + "\(Int32.max) elements or an invalid length.")
    }
    return TensorDescription(
      name: named.name, dataType: LiteRT.dataType(type.element_type),
      typeName: LiteRT.typeName(type.element_type), shape: shape,
      quantization: try quantization(of: named, shape: shape))
  }

  /// Returns the number that LiteRT gives a tensor within its graph.
  func index(of tensor: LiteRtTensor) -> UInt32? {
    var index: UInt32 = 0
    return functions.GetTensorIndex(tensor, &index) == LiteRT.ok ? index : nil
  }

  /// Returns the element type of a tensor, as one of LiteRT's type numbers.
  func elementType(of tensor: LiteRtTensor) -> Int32 {
    var type = LiteRtRankedTensorType()
    return functions.GetRankedTensorType(tensor, &type) == LiteRT.ok ? type.element_type : 0
  }

  private func quantization(of named: NamedTensor, shape: [Int]) throws -> StoredQuantization? {
    let found = foundQuantization(of: named.tensor, shape: shape)
    for scale in found?.scales ?? [] where !(scale > 0 && scale.isFinite) {
      throw TensorIOError(
        .invalidModel,
        "The tensor '\(named.name)' of '\(path)' has the scale \(scale) instead of a positive, "
          + "finite number. Convert the model again.")
    }
    return found
  }

  private func foundQuantization(of tensor: LiteRtTensor, shape: [Int]) -> StoredQuantization? {
    var kind: Int32 = 0
    guard functions.GetQuantizationTypeId(tensor, &kind) == LiteRT.ok else { return nil }
    switch kind {
    case LiteRT.perTensor:
      var values = LiteRtQuantizationPerTensor()
      guard functions.GetPerTensorQuantization(tensor, &values) == LiteRT.ok, values.scale != 0
      else { return nil }
      return StoredQuantization(scales: [values.scale], zeroPoints: [values.zero_point])
    case LiteRT.perChannel:
      var values = LiteRtQuantizationPerChannel()
      guard functions.GetPerChannelQuantization(tensor, &values) == LiteRT.ok,
        values.count > 0, let scales = values.scales, let zeroPoints = values.zero_points
      else { return nil }
      let count = Int(clamping: values.count)
      let axis = Int(values.quantized_dimension)
      guard shape.indices.contains(axis), shape[axis] == count,
        let elementsPerScale = shape.dropFirst(axis + 1).elementCount, elementsPerScale > 0
      else { return nil }
      return StoredQuantization(
        scales: Array(UnsafeBufferPointer(start: scales, count: count)),
        zeroPoints: Array(UnsafeBufferPointer(start: zeroPoints, count: count)),
        axis: axis, elementsPerScale: elementsPerScale)
    default: return nil
    }
  }

  // MARK: - Calls

  private func count(_ function: Count, of owner: OpaquePointer) throws -> Int {
    var count = 0
    let status = function(owner, &count)
    guard status == LiteRT.ok else { throw fault(status) }
    return count
  }

  private func check<Value>(
    _ value: Value?, _ status: LiteRtStatus
  ) throws -> Value {
    guard status == LiteRT.ok, let value else { throw fault(status) }
    return value
  }

  private func fault(_ status: LiteRtStatus) -> TensorIOError {
    TensorIOError(
      .invalidModel,
      "'\(path)' is not a valid TensorFlow Lite model: for its graph, LiteRT reports "
        + "'\(LiteRT.name(of: status))'. Export or download the model again.")
  }
}
