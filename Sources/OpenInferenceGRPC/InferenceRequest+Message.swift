// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation

extension InferenceRequest {
  /// Reads a message, whose tensors are all raw or all typed.
  init(_ message: Inference_ModelInferRequest) throws {
    let isRaw = !message.rawInputContents.isEmpty
    guard !isRaw || message.rawInputContents.count == message.inputs.count else {
      throw CallFailure(
        .invalidArgument,
        "'raw_input_contents' has \(message.rawInputContents.count) tensors, but 'inputs' has "
          + "\(message.inputs.count). Send one for each input.")
    }
    model = message.modelName
    version = message.modelVersion
    id = message.id
    var (inputs, size) = ([Input](), 0)
    inputs.reserveCapacity(message.inputs.count)
    for (index, input) in message.inputs.enumerated() {
      guard !(isRaw && input.hasContents && input.contents != .init()) else {
        throw CallFailure(
          .invalidArgument,
          "'\(input.name)' has both 'contents' and 'raw_input_contents'. Send only one of them.")
      }
      let contents: Contents =
        isRaw
        ? .raw(message.rawInputContents[index])
        : try Self.contents(input.contents, input.datatype, of: input.name)
      size += contents.byteCount
      inputs.append(
        Input(
          name: input.name, type: input.datatype, shape: input.shape.map(Int.init),
          contents: contents))
    }
    self.inputs = inputs
    byteCount = size
    outputs = message.outputs.map {
      let classes = $0.parameters["classification"]?.int64Param ?? 0
      return Output(name: $0.name, classes: Int(clamping: max(0, classes)))
    }
  }

  /// Returns the list of a tensor's type, and refuses elements in other lists.
  private static func contents(
    _ all: Inference_InferTensorContents, _ type: String, of name: String
  ) throws -> Contents {
    let (contents, count): (Contents, Int)
    switch type {
    case "BOOL": (contents, count) = (.bools(all.boolContents), all.boolContents.count)
    case "INT8", "INT16", "INT32":
      (contents, count) = (.int32s(all.intContents), all.intContents.count)
    case "INT64": (contents, count) = (.int64s(all.int64Contents), all.int64Contents.count)
    case "UINT8", "UINT16", "UINT32":
      (contents, count) = (.uint32s(all.uintContents), all.uintContents.count)
    case "FP32": (contents, count) = (.floats(all.fp32Contents), all.fp32Contents.count)
    case "FP64": (contents, count) = (.doubles(all.fp64Contents), all.fp64Contents.count)
    case "BYTES": (contents, count) = (.strings(all.bytesContents), all.bytesContents.count)
    case "FP16":
      throw CallFailure(
        .invalidArgument,
        "'\(name.prefix(100))' is FP16, which has no list in 'contents'. Send it in "
          + "'raw_input_contents'.")
    default:
      throw CallFailure(
        .invalidArgument,
        "'\(name.prefix(100))' has the unknown type '\(type.prefix(40))'.")
    }
    guard count == all.count else {
      throw CallFailure(
        .invalidArgument,
        "'\(name.prefix(100))' is \(type), but has elements in a list of 'contents' for another "
          + "type.")
    }
    return contents
  }
}

extension InferenceRequest.Contents {
  /// The approximate size of the elements in memory.
  fileprivate var byteCount: Int {
    switch self {
    case .raw(let bytes): bytes.count
    case .bools(let list): list.count
    case .int32s(let list): list.count * 4
    case .int64s(let list): list.count * 8
    case .uint32s(let list): list.count * 4
    case .floats(let list): list.count * 4
    case .doubles(let list): list.count * 8
    case .strings(let list): list.reduce(0) { $0 + $1.count + 16 }
    }
  }
}

extension Inference_InferTensorContents {
  /// The number of elements in all lists.
  fileprivate var count: Int {
    boolContents.count + intContents.count + int64Contents.count + uintContents.count
      + uint64Contents.count + fp32Contents.count + fp64Contents.count + bytesContents.count
  }
}
#endif
