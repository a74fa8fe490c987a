// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// One way in which the other side may have made its tensor, and how well it explains the tensor.
struct Explanation {
  let recipe: Recipe
  let frame: Framing.Frame
  /// The root mean square error, in bytes of the image, that remains after fitting a line to each
  /// channel, without the known rounding.
  let excess: Double
  /// The part of the error that comes from rounding to whole numbers after normalization.
  private let noise: Double
  /// Whether the reference holds whole numbers in which a step of 1 is one byte.
  let keepsBytes: Bool

  /// The assumed scale is used for images that are too uniform to show their own.
  init(
    _ recipe: Recipe, _ frame: Framing.Frame, planes: [[Float]], reference: ReferenceTensor,
    step: Int, assumedScale: Double
  ) {
    self.recipe = recipe
    self.frame = frame
    let fits = reference.channels.enumerated().map { channel, theirs in
      ChannelFit(planes[recipe.order.plane(channel)], theirs, step: step)
    }
    let scales = fits.compactMap { $0.scale?.magnitude }
    let mean = scales.isEmpty ? assumedScale : scales.reduce(0, +) / Double(scales.count)
    let squares = fits.map { fit -> Double in
      let scale = max(fit.scale?.magnitude ?? mean, 1e-12)
      return (fit.residual / scale) * (fit.residual / scale)
    }
    // If a step is one byte, one of the tried roundings leaves no error.
    keepsBytes = reference.isWhole && (mean - 1).magnitude < 1e-3
    noise = reference.isWhole && !keepsBytes ? (1.0 / 12).squareRoot() / max(mean, 1e-12) : 0
    let residual = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    excess = max(0, residual * residual - noise * noise).squareRoot()
  }

  /// The largest excess, in bytes, at which the reference counts as explained.
  private static let limit = 0.5
  /// The excess, in bytes, below which a wrong explanation still has the right geometry.
  static let nearLimit = 3.0

  var isGood: Bool { excess <= Self.limit }

  /// Whether this explains as much as another explanation, up to rounding and arithmetic errors.
  func isAsGood(as best: Explanation) -> Bool {
    excess <= max(best.excess * 1.25, best.excess + (best.noise > 0 ? 0.05 : 0.01))
  }
}

/// The least-squares line through the values of a channel, `theirs = scale * ours + bias`.
struct ChannelFit {
  /// The factor for `ours`; nil if all of `ours` are equal, so that no line can be fitted.
  let scale: Double?
  let bias: Double
  /// The root mean square distance of `theirs` from the line, in the units of `theirs`.
  let residual: Double
  /// The correlation from -1 to 1; 1 if all values of one side are equal.
  let correlation: Double

  /// Fits a line to every `step`-th of our values, from 0 to 255, and of theirs.
  init(_ ours: [Float], _ theirs: [Float], step: Int = 1) {
    var (sumX, sumY, sumXX, sumXY, sumYY, count) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    // Sum the differences from the first value, because they stay small and therefore exact for
    // longer.
    let (firstX, firstY) = (Double(ours.first ?? 0), Double(theirs.first ?? 0))
    for index in stride(from: 0, to: ours.count, by: step) {
      let x = Double(ours[index]) - firstX
      let y = Double(theirs[index]) - firstY
      sumX += x
      sumY += y
      sumXX += x * x
      sumXY += x * y
      sumYY += y * y
      count += 1
    }
    let varianceX = max(0, sumXX - sumX * sumX / count) / count
    let varianceY = max(0, sumYY - sumY * sumY / count) / count
    let covariance = (sumXY - sumX * sumY / count) / count
    let meanX = firstX + sumX / count
    let meanY = firstY + sumY / count
    guard varianceX > 1e-6 else {
      scale = nil
      bias = meanY
      residual = varianceY.squareRoot()
      correlation = 1
      return
    }
    let slope = covariance / varianceX
    scale = slope
    bias = meanY - slope * meanX
    residual = max(0, varianceY - slope * covariance).squareRoot()
    correlation = varianceY > 0 ? covariance / (varianceX * varianceY).squareRoot() : 1
  }
}
