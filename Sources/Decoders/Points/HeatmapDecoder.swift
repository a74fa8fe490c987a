// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Decodes keypoints from a map of scores for each point.
///
/// Positions are in pixels of the model's input. The first column and row of cells are at 0.
package struct HeatmapDecoder: Sendable {
  /// The number of keypoints.
  package let count: Int
  let options: HeatmapOptions
  let width: Int
  let height: Int
  private let maps: TensorAxes
  private let offsets: TensorAxes?
  private let scale: (x: Double, y: Double)

  /// Prepares for heat maps.
  ///
  /// - Parameters:
  ///   - shape: The three axes that the layout says, with any number of 1 before.
  ///   - offsetShape: The shape of the offsets; nil without them.
  ///   - input: The width and height of the model's input in pixels.
  ///   - options: What the values mean.
  /// - Throws: ``DecodingError`` if a shape doesn't fit the options.
  package init(
    shape: [Int], offsetShape: [Int]? = nil, input: (width: Int, height: Int),
    options: HeatmapOptions
  ) throws {
    let isFirst = options.layout == .channelsFirst
    func axes(_ shape: [Int], _ name: String, _ channels: String) throws -> TensorAxes {
      let expected = isFirst ? "[\(channels), height, width]" : "[height, width, \(channels)]"
      return try TensorAxes(shape, 3, of: name, expected: expected)
    }
    maps = try axes(shape, "heat maps", "keypoints")
    count = maps.sizes[isFirst ? 0 : 2]
    height = maps.sizes[isFirst ? 1 : 0]
    width = maps.sizes[isFirst ? 2 : 1]
    self.options = options
    guard options.activation != .softmax else {
      throw DecodingError("Heat maps can't have the activation 'softmax'. Use 'sigmoid' or 'none'.")
    }
    guard (options.refinement == .offsets) == (offsetShape != nil) else {
      throw DecodingError(
        "The refinement '\(options.refinement.rawValue)' and the outputs don't match. Name an output "
          + "as `offsets` for the refinement 'offsets' only.")
    }
    offsets = try offsetShape.map { try axes($0, "offsets", "2 x keypoints") }
    if let sizes = offsets?.sizes {
      var expected = maps.sizes
      expected[isFirst ? 0 : 2] *= 2
      guard sizes == expected else {
        throw DecodingError(
          "The offsets have the shape \(sizes), but \(expected) was expected: y and x for each of "
            + "the \(count) keypoints. Choose the output with the offsets.")
      }
    }
    func scale(_ pixels: Int, _ cells: Int) -> Double {
      if let stride = options.stride { return Double(stride) }
      guard options.refinement == .offsets, cells > 1 else { return Double(pixels) / Double(cells) }
      return (Double(pixels) - 1) / Double(cells - 1)
    }
    let scale = (x: scale(input.width, width), y: scale(input.height, height))
    guard scale.x > 0, scale.x.isFinite, scale.y > 0, scale.y.isFinite else {
      throw DecodingError(
        "The distance of cells is \(scale.x) x \(scale.y) pixels, but positive numbers were "
          + "expected. Set `stride`, or check the input's size, \(input.width) x \(input.height).")
    }
    self.scale = scale
  }

  /// Returns the best position of each point.
  ///
  /// If several cells have the greatest score, the first one counts, row after row. Unlike in
  /// MMPose, the position doesn't become -1 if the score isn't positive, because logits can be
  /// negative.
  ///
  /// - Parameter heatmaps: The scores.
  /// - Returns: The pose, in pixels of the model's input.
  /// - Throws: ``DecodingError`` if all scores of a point are NaN, or if the tensor has another
  ///   size, or if the decoder was made for offsets.
  package func decode(_ heatmaps: Span<Float>) throws -> DecodedPose {
    guard offsets == nil else {
      throw DecodingError("The refinement 'offsets' needs the tensor with the offsets.")
    }
    return try pose(heatmaps) { _, _, _ in 0 }
  }

  /// Returns the best position of each point, moved by the offset of its cell.
  ///
  /// - Parameters:
  ///   - heatmaps: The scores.
  ///   - offsets: The offsets in pixels.
  /// - Returns: The pose, in pixels of the model's input.
  /// - Throws: ``DecodingError`` if all scores of a point are NaN, or if a tensor has another size,
  ///   or if the decoder wasn't made for offsets.
  package func decode(_ heatmaps: Span<Float>, offsets: Span<Float>) throws -> DecodedPose {
    guard let axes = self.offsets else {
      throw DecodingError("Offsets need the refinement 'offsets'.")
    }
    try axes.check(offsets)
    return try pose(heatmaps) { channel, x, y in
      offsets[position(channel, x: x, y: y, of: 2 * count)]
    }
  }

  private func pose(
    _ heatmaps: Span<Float>, offset: (_ channel: Int, _ x: Int, _ y: Int) -> Float
  ) throws -> DecodedPose {
    try maps.check(heatmaps)
    var points: [DecodedPoint] = []
    for point in 0..<count {
      let start = position(point, x: 0, y: 0, of: count)
      let step = options.layout == .channelsLast ? count : 1
      guard let best = heatmaps.greatest(from: start, count: width * height, step: step) else {
        throw DecodingError(
          "All scores of keypoint \(point) are NaN. Check the model and its input.")
      }
      let (x, y) = (best.index % width, best.index / width)
      let shift = shift(point, x: x, y: y, in: heatmaps) ?? (0, 0)
      let (down, across) = (offset(point, x, y), offset(count + point, x, y))
      points.append(
        DecodedPoint(
          x: Float((Double(x) + shift.x) * scale.x + (across.isFinite ? Double(across) : 0)),
          y: Float((Double(y) + shift.y) * scale.y + (down.isFinite ? Double(down) : 0)),
          score: options.activation.score(best.value)))
    }
    return DecodedPose(points)
  }

  /// The index of a channel's value at a cell, in a tensor with a number of channels.
  func position(_ channel: Int, x: Int, y: Int, of channels: Int) -> Int {
    let cell = y * width + x
    return options.layout == .channelsLast
      ? cell * channels + channel : channel * width * height + cell
  }
}
