// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A description of anchors that lie on grids, with the options of MediaPipe's
/// `SsdAnchorsCalculator`.
package struct AnchorGrid: Sendable, Equatable {
  /// The size of the model's input in pixels.
  package var inputWidth: Int
  package var inputHeight: Int
  /// The distance of anchors in pixels, for each layer.
  ///
  /// Neighboring layers with the same distance share their grid.
  package var strides: [Int]
  /// The size of anchors on the first layer, as a fraction of the input.
  package var minimumScale: Float
  /// The size of anchors on the last layer.
  package var maximumScale: Float
  /// The ratios of width to height.
  package var aspectRatios: [Float]
  /// The ratio of an additional anchor between the sizes of two layers; none if it's 0.
  package var interpolatedAspectRatio: Float
  /// Where an anchor is in its cell, as a fraction of the cell.
  package var offsetX: Float
  package var offsetY: Float
  /// Whether the first layer has three small anchors instead.
  package var reducesLowestLayer: Bool
  /// Whether all anchors have the size of the input.
  package var hasFixedSize: Bool

  package init(
    inputWidth: Int, inputHeight: Int, strides: [Int], minimumScale: Float, maximumScale: Float,
    aspectRatios: [Float] = [1], interpolatedAspectRatio: Float = 1, offsetX: Float = 0.5,
    offsetY: Float = 0.5, reducesLowestLayer: Bool = false, hasFixedSize: Bool = false
  ) {
    self.inputWidth = inputWidth
    self.inputHeight = inputHeight
    self.strides = strides
    self.minimumScale = minimumScale
    self.maximumScale = maximumScale
    self.aspectRatios = aspectRatios
    self.interpolatedAspectRatio = interpolatedAspectRatio
    self.offsetX = offsetX
    self.offsetY = offsetY
    self.reducesLowestLayer = reducesLowestLayer
    self.hasFixedSize = hasFixedSize
  }
}

extension AnchorGrid {
  /// Checks that the numbers are in ranges whose products can't overflow.
  func check() throws {
    let sizes = [inputWidth, inputHeight] + strides
    guard sizes.allSatisfy({ (1...65_536).contains($0) }), (1...64).contains(strides.count) else {
      throw DecodingError(
        "The anchors' grid has the size [\(inputWidth), \(inputHeight)] and the strides \(strides),"
          + " but sizes from 1 to 65,536 and 1 to 64 strides were expected.")
    }
    guard aspectRatios.allSatisfy({ $0 > 0 && $0.isFinite }), aspectRatios.count <= 64 else {
      throw DecodingError(
        "The anchors' grid has the aspect ratios \(aspectRatios), but at most 64 positive numbers "
          + "were expected.")
    }
  }

  /// The heights and widths of a layer's anchors.
  func sizes(ofLayer layer: Int) -> [(height: Float, width: Float)] {
    let own = scale(ofLayer: layer)
    var pairs: [(scale: Float, ratio: Float)]
    if layer == 0, reducesLowestLayer {
      pairs = [(0.1, 1), (own, 2), (own, 0.5)]
    } else {
      pairs = aspectRatios.map { (own, $0) }
      if interpolatedAspectRatio > 0 {
        let next = layer == strides.count - 1 ? 1 : scale(ofLayer: layer + 1)
        pairs.append(((own * next).squareRoot(), interpolatedAspectRatio))
      }
    }
    return pairs.map { scale, ratio in
      let root = ratio.squareRoot()
      return hasFixedSize ? (1, 1) : (scale / root, scale * root)
    }
  }

  private func scale(ofLayer layer: Int) -> Float {
    guard strides.count > 1 else { return (minimumScale + maximumScale) / 2 }
    let step = Double(maximumScale - minimumScale) / Double(strides.count - 1)
    return minimumScale + Float(step * Double(layer))
  }
}
