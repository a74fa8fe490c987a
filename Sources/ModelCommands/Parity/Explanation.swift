// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A way in which the other side may have come to its tensor, and how well it explains it.
struct Explanation {
  let recipe: Recipe
  let frame: Framing.Frame
  let order: ChannelOrder
  let rounding: Rounding
  /// How theirs follows from ours, for each of their channels.
  let fits: [ChannelFit]
  /// What the lines leave unexplained: the root of the mean square, in bytes of the picture.
  let residual: Double
  /// The part of ``residual`` that rounding to whole numbers after normalization makes.
  let noise: Double

  /// Whether theirs are whole numbers in steps of one byte.
  let keepsBytes: Bool

  /// What is left when known rounding is taken off.
  var excess: Double { max(0, residual * residual - noise * noise).squareRoot() }

  /// Judges a recipe's picture by the lines from its planes to the reference's channels; the
  /// assumed scale is for pictures that are too plain to tell.
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
    // Where a step is a byte, one of the roundings that are tried leaves nothing.
    keepsBytes = reference.isWhole && (mean - 1).magnitude < 1e-3
    noise = reference.isWhole && !keepsBytes ? (1.0 / 12).squareRoot() / max(mean, 1e-12) : 0
  }
}

extension Explanation {
  /// Above this, in bytes, theirs is not explained.
  static let limit = 0.5
  /// Below this, a wrong explanation still has the right geometry.
  static let nearLimit = 3.0

  var isGood: Bool { excess <= Self.limit }

  /// Whether it explains as much as another, within what rounding and arithmetic blur.
  func isAsGood(as best: Explanation) -> Bool {
    excess <= max(best.excess * 1.25, best.excess + (best.noise > 0 ? 0.05 : 0.01))
  }
}
