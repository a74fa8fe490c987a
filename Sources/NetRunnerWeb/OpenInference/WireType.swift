// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

extension DataType {
  /// The type's name in the Open Inference Protocol, such as `UINT8`, `FP32`, `BOOL` or `BYTES`.
  var wireName: String {
    switch self {
    case .float16: "FP16"
    case .float32: "FP32"
    case .float64: "FP64"
    case .string: "BYTES"
    default: rawValue.uppercased()
    }
  }

  /// Finds the type with a name in the Open Inference Protocol.
  init?(wireName: String) {
    guard let type = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
    self = type
  }
}

extension TensorSpec {
  /// The type of the values that clients send and receive, as on the command line.
  ///
  /// For a quantized tensor, they are the numbers before quantization. For an image, they are the
  /// pixels before model.json's preprocessing.
  var wireType: DataType {
    switch kind {
    case .imageInput, .imageOutput: .uint8
    case .classMap: .uint16
    case .bytes: dataType
    case .vector(let quantization, let labels):
      quantization != nil || labels != nil ? .float32 : halfAsSingle
    case .scalar(let quantization): quantization != nil ? .float32 : halfAsSingle
    }
  }

  /// The type, except that half precision becomes single precision, which holds all of its numbers.
  private var halfAsSingle: DataType { dataType == .float16 ? .float32 : dataType }

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
  ///
  /// Clients may send the model's own elements, which are already quantized and normalized.
  var acceptedTypes: String {
    let own = dataType == wireType ? "" : ", or the model's own \(dataType.wireName) elements"
    if case .imageInput = kind { return "UINT8 pixels, an image file as BYTES\(own)" }
    return wireType.wireName + own
  }
}
#endif
