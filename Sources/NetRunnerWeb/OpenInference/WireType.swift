// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

/// A tensor's element type in the Open Inference Protocol.
enum WireType: String, Sendable {
  case bool = "BOOL"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INT64"
  case float16 = "FP16"
  case float32 = "FP32"
  case float64 = "FP64"
  case bytes = "BYTES"

  init(_ type: DataType) {
    self =
      switch type {
      case .uint8: .uint8
      case .int8: .int8
      case .uint16: .uint16
      case .int16: .int16
      case .uint32: .uint32
      case .int32: .int32
      case .int64: .int64
      case .float16: .float16
      case .float32: .float32
      case .float64: .float64
      case .bool: .bool
      case .string: .bytes
      }
  }

  /// The number of bytes of an element, or nil for byte strings, which follow their length.
  var byteWidth: Int? {
    switch self {
    case .bool, .uint8, .int8: 1
    case .uint16, .int16, .float16: 2
    case .uint32, .int32, .float32: 4
    case .int64, .float64: 8
    case .bytes: nil
    }
  }
}

extension TensorSpec {
  /// The type of the native values that clients send and receive.
  ///
  /// The values are the same as on the command line. For a quantized tensor, they are the numbers
  /// before quantization. For an image, they are the pixels, which then go through model.json's
  /// preprocessing.
  var wireType: WireType {
    switch kind {
    case .imageInput, .imageOutput: .uint8
    case .classMap: .uint16
    case .bytes: WireType(dataType)
    case .vector(let quantization, let labels):
      quantization != nil || labels != nil ? .float32 : halfAsSingle
    case .scalar(let quantization): quantization != nil ? .float32 : halfAsSingle
    }
  }

  /// The type, except that half precision becomes single precision, which holds all of its numbers.
  private var halfAsSingle: WireType {
    dataType == .float16 ? .float32 : WireType(dataType)
  }

  /// The type of the tensor's own elements, which clients may send instead.
  ///
  /// These elements are already quantized and normalized.
  var rawWireType: WireType { WireType(dataType) }

  /// The shape of one item that clients send and receive.
  var wireShape: [Int] {
    switch kind {
    case .imageInput(let shape, _): [1, shape.height, shape.width, shape.format == .gray ? 1 : 3]
    case .imageOutput(let shape, _): [1, shape.height, shape.width, shape.format == .gray ? 1 : 3]
    case .classMap(let map, _): [1, map.height, map.width]
    case .vector, .scalar, .bytes: rawWireShape
    }
  }

  /// The shape of one item in the model's own elements.
  var rawWireShape: [Int] { isBatched ? [1] + itemShape : shape }

  /// The types that an input takes, for messages.
  var acceptedTypes: String {
    if case .imageInput = kind {
      let raw = rawWireType == .uint8 ? "" : ", or the model's own \(rawWireType.rawValue) elements"
      return "UINT8 pixels, an image file as BYTES\(raw)"
    }
    guard rawWireType != wireType else { return wireType.rawValue }
    return "\(wireType.rawValue), or the model's own \(rawWireType.rawValue) elements"
  }
}
#endif
