// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

extension TensorEncodable {
  /// The bytes that the value writes into a layer's memory, which is filled with 0xAA before.
  func encoded(as spec: TensorSpec) throws -> Data {
    let storage = try TensorStorage(byteCount: spec.byteCount, zeroed: false) { memory in
      memory.storeElements(of: UInt8.self) { _ in 0xAA }
      try encode(into: &memory, as: spec)
    }
    return storage.withBytes { bytes in bytes.withUnsafeBytes { Data($0) } }
  }

  /// The elements that the value writes into a layer's memory.
  func encoded<Element: BitwiseCopyable>(
    as spec: TensorSpec, of type: Element.Type
  ) throws -> [Element] {
    try encoded(as: spec).elements()
  }
}

extension TensorDecodable {
  /// The value that is decoded from a layer's bytes.
  static func decoded(_ data: Data, as spec: TensorSpec) throws -> Self {
    try TensorStorage(copying: data.bytes).withBytes { try Self.decode($0, as: spec) }
  }

  /// The value that is decoded from a layer's elements.
  static func decoded<Element: BitwiseCopyable>(
    _ elements: [Element], as spec: TensorSpec
  ) throws -> Self {
    try decoded(elements.withUnsafeBytes { Data($0) }, as: spec)
  }
}

extension Data {
  /// The bytes as elements of a type.
  func elements<Element: BitwiseCopyable>(of type: Element.Type = Element.self) -> [Element] {
    withUnsafeBytes { bytes in
      (0..<(bytes.count / MemoryLayout<Element>.stride)).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Element>.stride, as: Element.self)
      }
    }
  }
}

extension TensorSpec {
  /// A layer of numbers for a test.
  static func numbers(
    _ dataType: DataType, _ shape: [Int], _ quantization: Quantization? = nil,
    labels: [String]? = nil, stored: StoredQuantization? = nil
  ) -> TensorSpec {
    TensorSpec(
      name: "x", shape: shape, dataType: dataType,
      kind: .vector(quantization, labels: labels.map { Labels($0) }), storedQuantization: stored)
  }

  /// A layer of one number for a test.
  static func scalar(_ dataType: DataType, _ quantization: Quantization? = nil) -> TensorSpec {
    TensorSpec(name: "x", shape: [], dataType: dataType, kind: .scalar(quantization))
  }

  /// A layer of bytes or text for a test.
  static func bytes(_ dataType: DataType, _ shape: [Int]) -> TensorSpec {
    TensorSpec(name: "x", shape: shape, dataType: dataType, kind: .bytes)
  }

  /// A layer of an image for a test.
  static func image(_ dataType: DataType = .float32, height: Int = 2, width: Int = 2) -> TensorSpec
  {
    TensorSpec(
      name: "x", shape: [height, width, 3], dataType: dataType,
      kind: .imageInput(ImageShape(height: height, width: width), ImagePreprocessing()))
  }
}
