// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer: TensorEncodable, TensorDecodable {
  public static var tensorKindName: String { "an image" }
  public var tensorElementCount: Int? { nil }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let (transform, encoding) = try ImageTransform.ofInput(spec)
    try transform.write(self, into: &memory, as: encoding)
  }

  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> PixelBuffer {
    guard case .imageOutput(let shape, let denormalization) = spec.kind else {
      throw TensorIOError.wrongOutputType(
        spec, "an image (PixelBuffer)",
        because: spec.isClassMap
          ? "it is a class map; read it as ClassMap, which can draw an image"
          : "model.json does not describe it as an image")
    }
    return try PixelBuffer(reading: bytes, shape, denormalization, as: spec)
  }
}

extension ImageTransform {
  /// Returns the transform and the encoding for an image input.
  ///
  /// - Parameter spec: The layer.
  /// - Returns: How an image is transformed, and how its tensor is encoded.
  /// - Throws: ``TensorIOError`` when the layer does not take an image, or when its type cannot
  ///   hold one.
  package static func ofInput(
    _ spec: TensorSpec
  ) throws -> (transform: ImageTransform, encoding: PixelEncoding) {
    guard case .imageInput(let shape, let preprocessing) = spec.kind else {
      throw TensorIOError.wrongKind(
        spec, expected: "\(spec.dataType) values", found: PixelBuffer.tensorKindName)
    }
    let encoding = try PixelEncoding(shape, preprocessing.normalization, as: spec)
    return (ImageTransform(shape, preprocessing), encoding)
  }
}
