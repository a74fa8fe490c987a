// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// One way in which the other side may have made its tensor, and how well it explains the tensor.
struct Explanation {
  let recipe: Recipe
  let frame: Framing.Frame
  let order: ChannelOrder
  let rounding: Rounding
  /// The line from the bundle's values to the reference's, for each channel of the reference.
  let fits: [ChannelFit]
  /// The root mean square error that the lines leave, in bytes of the image.
  let residual: Double
  /// The part of ``residual`` that comes from rounding to whole numbers after normalization.
  let noise: Double

  /// Whether the reference holds whole numbers in which a step of 1 is one byte.
  let keepsBytes: Bool

  /// The error that remains without the known rounding.
  var excess: Double { max(0, residual * residual - noise * noise).squareRoot() }

  /// Fits lines from the planes of a recipe's image to the channels of the reference.
  ///
  /// The assumed scale is used for images that are too uniform to show their own.
  init(
    _ recipe: Recipe, _ frame: Framing.Frame, _ order: ChannelOrder, _ rounding: Rounding,
    planes: [[Float]], reference: ReferenceTensor, step: Int, assumedScale: Double
  ) {
    self.recipe = recipe
    self.frame = frame
    self.order = order
    self.rounding = rounding
    let fits = reference.channels.enumerated().map { channel, theirs in
      ChannelFit(planes[order.plane(channel)], theirs, step: step)
    }
    self.fits = fits
    let scales = fits.compactMap { $0.scale?.magnitude }
    let mean = scales.isEmpty ? assumedScale : scales.reduce(0, +) / Double(scales.count)
    let squares = fits.map { fit -> Double in
      let scale = max(fit.scale?.magnitude ?? mean, 1e-12)
      return (fit.residual / scale) * (fit.residual / scale)
    }
    residual = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    // If a step is one byte, one of the tried roundings leaves no error.
    keepsBytes = reference.isWhole && (mean - 1).magnitude < 1e-3
    noise = reference.isWhole && !keepsBytes ? (1.0 / 12).squareRoot() / max(mean, 1e-12) : 0
  }
}

extension Explanation {
  /// The largest excess, in bytes, at which the reference counts as explained.
  static let limit = 0.5
  /// The excess, in bytes, below which a wrong explanation still has the right geometry.
  static let nearLimit = 3.0

  var isGood: Bool { excess <= Self.limit }

  /// Whether this explains as much as another explanation, up to rounding and arithmetic errors.
  func isAsGood(as best: Explanation) -> Bool {
    excess <= max(best.excess * 1.25, best.excess + (best.noise > 0 ? 0.05 : 0.01))
  }
}
