// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension TensorSpec {
  /// Returns the pixels that would go into an image input's tensor, before normalization.
  ///
  /// The value encodes them in the same way as it encodes the tensor.
  ///
  /// - Parameter value: An image.
  /// - Returns: Gray or RGB pixels of the input's size; nil if the layer is not an image input.
  /// - Throws: ``TensorIOError`` when the image cannot be read.
  package func preview(of value: any TensorEncodable) throws -> PixelBuffer? {
    guard case .imageInput(let shape, let preprocessing) = kind else { return nil }
    let isGray = shape.format == .gray
    let upright = ImageShape(
      height: shape.height, width: shape.width, format: isGray ? .gray : .rgb)
    var plain = preprocessing
    plain.normalization = nil
    let spec = TensorSpec(
      name: "preview", shape: upright.axes, dataType: .uint8, kind: .imageInput(upright, plain))
    return try PixelBuffer(
      width: shape.width, height: shape.height, format: isGray ? .gray : .rgb
    ) { try value.encode(into: &$0, as: spec) }
  }
}
