// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The grids whose weighted sums are the masks of YOLO's objects.
package struct MaskPrototypes: Sendable, Equatable {
  /// The size of each grid.
  package let width: Int
  package let height: Int
  /// The number of prototypes, which is the number of mask coefficients of each box.
  package let count: Int
  /// Whether the shape is [count, height, width] instead of [height, width, count].
  package let isChannelsFirst: Bool

  /// Recognizes the number of prototypes in a shape.
  ///
  /// - Parameters:
  ///   - shape: [height, width, M] or [M, height, width], with any number of 1 before.
  ///   - count: The number of prototypes, if it's known. The last dimension counts if two have it.
  /// - Throws: ``DecodingError`` if the shape has another form.
  package init(shape: [Int], count: Int? = nil) throws {
    let sizes = shape.withoutBatch(rank: 3)
    guard sizes.count == 3, sizes.allSatisfy({ (1...65_536).contains($0) }) else {
      throw DecodingError(
        "The mask prototypes have the shape \(shape), but [height, width, prototypes] or "
          + "[prototypes, height, width] was expected. Choose another output.")
    }
    // Without the number, the dimension that isn't a side of a square is the number.
    let isFirst = count.map { sizes[0] == $0 } ?? (sizes[1] == sizes[2])
    let isLast = count.map { sizes[2] == $0 } ?? (sizes[0] == sizes[1])
    guard isFirst || isLast else {
      throw DecodingError(
        "The mask prototypes have the shape \(shape), in which the dimension with "
          + "\(count.map(String.init) ?? "the number of") prototypes isn't clear. Check `classes`, "
          + "which determines the number of mask coefficients.")
    }
    isChannelsFirst = isFirst && !isLast
    self.count = isChannelsFirst ? sizes[0] : sizes[2]
    height = isChannelsFirst ? sizes[1] : sizes[0]
    width = isChannelsFirst ? sizes[2] : sizes[1]
  }

  /// Returns the mask of a box, cropped to the box.
  ///
  /// The sums are enlarged with bilinear interpolation, as in PyTorch, and those above 0 belong to
  /// the object: their sigmoid is above 0.5. The edges of the box are rounded to whole cells. This
  /// is what Ultralytics does since 2026. Earlier versions crop the sums before they enlarge them,
  /// so that masks extend beyond the box. An oriented box counts without its rotation.
  ///
  /// - Parameters:
  ///   - box: The box.
  ///   - coefficients: Its mask coefficients.
  ///   - extent: The width and height of the model's input in the units of the box, such as
  ///     (640, 640) or (1, 1).
  ///   - size: The width and height of the grid that the mask is for; nil for the prototypes' size.
  ///   - prototypes: The tensor.
  /// - Returns: The mask of the part of the grid that the box covers.
  /// - Throws: ``DecodingError`` if the tensor or the coefficients have another size.
  package func mask(
    of box: DecodedBox, coefficients: [Float], extent: (width: Float, height: Float),
    size: (width: Int, height: Int)? = nil, in prototypes: Span<Float>
  ) throws -> InstanceMask {
    try TensorMatrix.check(prototypes, width * height * count, "mask prototypes")
    guard coefficients.count == count else {
      throw DecodingError(
        "The box has \(coefficients.count) mask coefficients, but there are \(count) prototypes. "
          + "Check `classes`, which determines the number of mask coefficients.")
    }
    let size = size ?? (width, height)
    guard (1...65_536).contains(size.width), (1...65_536).contains(size.height),
      size.width * size.height <= 1 << 28, extent.width > 0, extent.height > 0,
      extent.width.isFinite, extent.height.isFinite
    else {
      throw DecodingError(
        "The mask's size \(size) and the extent \(extent) must be positive, and the size "
          + "at most 65,536 by 4,096.")
    }
    let columns = Self.range(box.left, box.right, extent.width, size.width)
    let rows = Self.range(box.top, box.bottom, extent.height, size.height)
    var mask = InstanceMask(
      left: columns.lowerBound, top: rows.lowerBound, width: columns.count, height: rows.count,
      cells: [])
    guard mask.width > 0, mask.height > 0 else { return mask }
    let across = columns.map { Tap($0, of: size.width, from: width) }
    let down = rows.map { Tap($0, of: size.height, from: height) }
    let sums = MaskSums(
      self, coefficients, columns: across[0].first...across[across.count - 1].second,
      rows: down[0].first...down[down.count - 1].second, in: prototypes)
    mask.cells.reserveCapacity(mask.width * mask.height)
    for row in down {
      for column in across { mask.cells.append(sums.value(column, row) > 0 ? 1 : 0) }
    }
    return mask
  }

  /// The cells between two edges of a box.
  private static func range(
    _ lower: Float, _ upper: Float, _ extent: Float, _ size: Int
  ) -> Range<Int> {
    let ratio = Float(size) / extent
    func edge(_ value: Float) -> Int {
      let rounded = (value * ratio).rounded(.toNearestOrEven)
      // An undefined edge is 0, because all comparisons with it are false.
      return rounded > 0 ? Int(min(rounded, Float(size))) : 0
    }
    let (start, end) = (edge(lower), edge(upper))
    return start..<max(start, end)
  }
}
