// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

/// A tensor's type as the Open Inference Protocol names it.
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

  /// Bytes of an element; nil for byte strings, whose length stands before each.
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
  /// The type of the native values that clients send and get.
  ///
  /// They are the same as on the command line: what model.json quantizes is a number before; a
  /// picture is its pixels, and goes through its preprocessing.
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

  /// Half precision is read as single precision, which holds each of its numbers.
  private var halfAsSingle: WireType {
    dataType == .float16 ? .float32 : WireType(dataType)
  }

  /// The type of the tensor's own elements, which clients may send in its place: these are quantized,
  /// and normalized, already.
  var rawWireType: WireType { WireType(dataType) }

  /// The shape that clients send and get, of one item.
  var wireShape: [Int] {
    switch kind {
    case .imageInput(let shape, _): [1, shape.height, shape.width, shape.format == .gray ? 1 : 3]
    case .imageOutput(let shape, _): [1, shape.height, shape.width, shape.format == .gray ? 1 : 3]
    case .classMap(let map, _): [1, map.height, map.width]
    case .vector, .scalar, .bytes: rawWireShape
    }
  }

  /// The shape of the model's own elements, of one item.
  var rawWireShape: [Int] { isBatched ? [1] + itemShape : shape }

  /// The types that an input takes, for a message.
  var acceptedTypes: String {
    if case .imageInput = kind {
      let raw = rawWireType == .uint8 ? "" : ", or the model's own \(rawWireType.rawValue) elements"
      return "UINT8 pixels, a picture's file as BYTES\(raw)"
    }
    guard rawWireType != wireType else { return wireType.rawValue }
    return "\(wireType.rawValue), or the model's own \(rawWireType.rawValue) elements"
  }
}
#endif
