// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension TensorSpec {
  /// What goes into an image input's tensor, before normalization, as a picture.
  ///
  /// The value writes it itself, as it writes the tensor.
  ///
  /// - Parameter value: A picture.
  /// - Returns: Gray or RGB pixels of the input's size; nil where the layer is no image input.
  /// - Throws: ``TensorIOError`` when the picture cannot be read.
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
