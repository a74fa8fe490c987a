// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// Reads the anchors that `decode` names or describes.
struct AnchorReader {
  private let options: LayerCoding

  init(_ options: LayerCoding) { self.options = options }

  func anchors() throws -> BoxAnchors {
    if case .object(let members)? = options["anchors"] {
      return try BoxAnchors(grid(members))
    }
    guard let file = try options.file("anchors") else {
      throw DecodingError("It has no \"anchors\".")
    }
    guard file.path.hasSuffix(".npy") else { return try BoxAnchors(text: file.bytes.span) }
    let tensor = try NumPyFile(file.path).tensor
    guard tensor.shape.last == 4 else {
      throw DecodingError(
        "'\(file.path)' has the shape \(tensor.shape), but [anchors, 4] was expected.")
    }
    return try BoxAnchors(tensor.numbers(as: Float.self))
  }

  private func grid(_ members: [String: JSONValue]) -> AnchorGrid {
    func number(_ key: String, _ missing: Float) -> Float {
      members[key]?.asNumber.map { Float($0) } ?? missing
    }
    func flag(_ key: String) -> Bool { members[key] == .bool(true) }
    func numbers(_ key: String) -> [Double] {
      guard case .array(let elements)? = members[key] else { return [] }
      return elements.compactMap(\.asNumber)
    }
    // A length that isn't a whole number becomes 0, which the grid refuses.
    let size = numbers("size").map { Int(exactly: $0) ?? 0 }
    let ratios = numbers("aspect_ratios").map { Float($0) }
    return AnchorGrid(
      inputWidth: size.first ?? 0, inputHeight: size.last ?? 0,
      strides: numbers("strides").map { Int(exactly: $0) ?? 0 },
      minimumScale: number("min_scale", 0.2), maximumScale: number("max_scale", 0.95),
      aspectRatios: ratios.isEmpty ? [1] : ratios,
      interpolatedAspectRatio: number("interpolated_scale_aspect_ratio", 1),
      offsetX: number("anchor_offset_x", 0.5), offsetY: number("anchor_offset_y", 0.5),
      reducesLowestLayer: flag("reduce_boxes_in_lowest_layer"),
      hasFixedSize: flag("fixed_anchor_size"))
  }
}
