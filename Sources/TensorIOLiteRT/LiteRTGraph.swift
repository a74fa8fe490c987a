// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CLiteRT
internal import TensorIO

/// Reads the signatures and tensors of a model.
struct LiteRTGraph {
  private let model: LiteRtModel
  private let functions: LiteRtFunctions

  init(_ model: LiteRtModel, _ functions: LiteRtFunctions) {
    self.model = model
    self.functions = functions
  }

  /// LiteRT's key for the signature of a model without signatures.
  private static let placeholderKey = "<placeholder signature>"

  // MARK: - Signatures

  func signatures(path: String) throws -> [SignatureDescription] {
    let count = try self.count(functions.GetNumModelSignatures, of: model, path)
    guard count > 0 else {
      throw TensorIOError(
        .invalidModel,
        "The model '\(path)' has no signatures and no main graph, so there is nothing to run. "
          + "Export or download the model again.")
    }
    return try (0..<count).map { index in
      let signature = try signature(at: index, path)
      return SignatureDescription(
        key: try key(of: signature, path),
        inputs: try describe(try inputs(of: signature, path), path),
        outputs: try describe(try outputs(of: signature, path), path))
    }
  }

  /// A tensor of a signature, with its name in the signature.
  struct NamedTensor {
    var name: String
    var tensor: LiteRtTensor
  }

  /// Returns the tensors of a signature.
  func tensors(
    ofSignature index: Int, path: String = ""
  ) throws -> (inputs: [NamedTensor], outputs: [NamedTensor]) {
    let signature = try signature(at: index, path)
    return (try inputs(of: signature, path), try outputs(of: signature, path))
  }

  private func signature(at index: Int, _ path: String) throws -> LiteRtSignature {
    var signature: LiteRtSignature?
    let status = functions.GetModelSignature(model, index, &signature)
    return try check(signature, status, path)
  }

  private func key(of signature: LiteRtSignature, _ path: String) throws -> String {
    var key: UnsafePointer<CChar>?
    let status = functions.GetSignatureKey(signature, &key)
    let text = String(cString: try check(key, status, path))
    return text == Self.placeholderKey ? "" : text
  }

  private func inputs(of signature: LiteRtSignature, _ path: String) throws -> [NamedTensor] {
    try tensors(
      of: signature, path, functions.GetNumSignatureInputs, functions.GetSignatureInputName,
      functions.GetSignatureInputTensorByIndex)
  }

  private func outputs(of signature: LiteRtSignature, _ path: String) throws -> [NamedTensor] {
    try tensors(
      of: signature, path, functions.GetNumSignatureOutputs, functions.GetSignatureOutputName,
      functions.GetSignatureOutputTensorByIndex)
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
    of signature: LiteRtSignature, _ path: String, _ count: Count, _ name: Name, _ item: Item
  ) throws -> [NamedTensor] {
    try (0..<self.count(count, of: signature, path)).map { index in
      var text: UnsafePointer<CChar>?
      let named = name(signature, index, &text)
      var tensor: LiteRtTensor?
      let found = item(signature, index, &tensor)
      return NamedTensor(
        name: String(cString: try check(text, named, path)),
        tensor: try check(tensor, found, path))
    }
  }

  // MARK: - Tensors

  private func describe(_ tensors: [NamedTensor], _ path: String) throws -> [TensorDescription] {
    try tensors.map { named in
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
      guard type.layout.shape.map({ $0 < 0 ? 1 : $0 }).elementCount != nil else {
        throw TensorIOError(
          .unsupportedModel,
          "The tensor '\(named.name)' of '\(path)' has the shape \(type.layout.shape), which "
            + "has more than \(Int32.max) elements or an invalid length.")
      }
      return TensorDescription(
        name: named.name, dataType: LiteRT.dataType(type.element_type),
        typeName: LiteRT.typeName(type.element_type), shape: type.layout.shape,
        quantization: quantization(of: named.tensor, shape: type.layout.shape))
    }
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

  private func quantization(of tensor: LiteRtTensor, shape: [Int]) -> StoredQuantization? {
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

  // MARK: - Operations

  /// An operation that is identified only by its name.
  struct CustomOperation {
    var name: String
    /// The numbers that LiteRT gives the output tensors within their graph; nil for one without a
    /// number.
    var outputs: [UInt32?]
  }

  /// Returns the custom operations of all graphs, in the order of the file.
  func customOperations(path: String) throws -> [CustomOperation] {
    var found: [CustomOperation] = []
    for index in 0..<(try count(functions.GetNumModelSubgraphs, of: model, path)) {
      let subgraph = try item(functions.GetModelSubgraph, index, of: model, path)
      for index in 0..<(try count(functions.GetNumSubgraphOps, of: subgraph, path)) {
        let operation = try item(functions.GetSubgraphOp, index, of: subgraph, path)
        var code: Int32 = -1
        var name: UnsafePointer<CChar>?
        guard functions.GetOpCode(operation, &code) == LiteRT.ok, code == LiteRT.customOperation,
          functions.GetCustomCode(operation, &name) == LiteRT.ok, let name
        else { continue }
        let outputs = try (0..<(try count(functions.GetNumOpOutputs, of: operation, path))).map {
          self.index(of: try item(functions.GetOpOutput, $0, of: operation, path))
        }
        found.append(CustomOperation(name: String(cString: name), outputs: outputs))
      }
    }
    return found
  }

  // MARK: - Guards

  /// Returns whether the model has resource variables, which keep their values between runs.
  func hasResourceVariables(path: String) throws -> Bool {
    for index in 0..<(try count(functions.GetNumModelSubgraphs, of: model, path)) {
      let subgraph = try item(functions.GetModelSubgraph, index, of: model, path)
      for index in 0..<(try count(functions.GetNumSubgraphOps, of: subgraph, path)) {
        var code: Int32 = -1
        let operation = try item(functions.GetSubgraphOp, index, of: subgraph, path)
        let status = functions.GetOpCode(operation, &code)
        if status == LiteRT.ok && code == LiteRT.variableHandle { return true }
      }
    }
    return false
  }

  /// Rejects models with block-wise quantized tensors before they are compiled.
  ///
  /// The runtime crashes on some of them, and computes zeros for others without an error.
  func refuseBlockWiseQuantization(path: String) throws {
    let subgraphs = try count(functions.GetNumModelSubgraphs, of: model, path)
    for index in 0..<subgraphs {
      let subgraph = try item(functions.GetModelSubgraph, index, of: model, path)
      for index in 0..<(try count(functions.GetNumSubgraphOps, of: subgraph, path)) {
        let operation = try item(functions.GetSubgraphOp, index, of: subgraph, path)
        for index in 0..<(try count(functions.GetNumOpInputs, of: operation, path)) {
          var tensor: LiteRtTensor?
          // An optional input that is left out has no tensor.
          guard functions.GetOpInput(operation, index, &tensor) == LiteRT.ok, let tensor
          else { continue }
          try refuseBlockWise(tensor, path)
        }
        for index in 0..<(try count(functions.GetNumOpOutputs, of: operation, path)) {
          try refuseBlockWise(try item(functions.GetOpOutput, index, of: operation, path), path)
        }
      }
    }
  }

  private func refuseBlockWise(_ tensor: LiteRtTensor, _ path: String) throws {
    var kind: Int32 = 0
    guard functions.GetQuantizationTypeId(tensor, &kind) == LiteRT.ok, kind == LiteRT.blockWise
    else { return }
    throw TensorIOError(
      .unsupportedModel,
      "'\(path)' has tensors with block-wise quantization, which LiteRT 2.3 doesn't run reliably. "
        + "Convert the model with per-channel quantization.")
  }

  // MARK: - Calls

  private func count(_ function: Count, of owner: OpaquePointer, _ path: String) throws -> Int {
    var count = 0
    let status = function(owner, &count)
    guard status == LiteRT.ok else { throw fault(status, path) }
    return count
  }

  private func item(
    _ function: Item, _ index: Int, of owner: OpaquePointer, _ path: String
  ) throws -> OpaquePointer {
    var item: OpaquePointer?
    let status = function(owner, index, &item)
    return try check(item, status, path)
  }

  private func check<Value>(
    _ value: Value?, _ status: LiteRtStatus, _ path: String
  ) throws -> Value {
    guard status == LiteRT.ok, let value else { throw fault(status, path) }
    return value
  }

  private func fault(_ status: LiteRtStatus, _ path: String) -> TensorIOError {
    TensorIOError(
      .invalidModel,
      "'\(path)' is not a valid TensorFlow Lite model: for its graph, LiteRT reports "
        + "'\(LiteRT.name(of: status))'. Export or download the model again.")
  }
}
