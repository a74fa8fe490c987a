// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension BoxAnchors {
  /// Creates the anchors of a grid.
  package init(_ grid: AnchorGrid) throws {
    try grid.check()
    var values: [Float] = []
    var layer = 0
    while layer < grid.strides.count {
      let stride = grid.strides[layer]
      var sizes: [(height: Float, width: Float)] = []
      while layer < grid.strides.count, grid.strides[layer] == stride {
        sizes += grid.sizes(ofLayer: layer)
        layer += 1
      }
      let rows = (grid.inputHeight + stride - 1) / stride
      let columns = (grid.inputWidth + stride - 1) / stride
      guard rows * columns * sizes.count <= Self.most - values.count / 4 else {
        throw DecodingError(
          "The anchors' grid has more than \(Self.most) anchors. Check `size` and `strides`.")
      }
      for row in 0..<rows {
        for column in 0..<columns {
          let y = (Float(row) + grid.offsetY) / Float(rows)
          let x = (Float(column) + grid.offsetX) / Float(columns)
          for size in sizes { values += [y, x, size.height, size.width] }
        }
      }
    }
    try self.init(values)
  }
}
