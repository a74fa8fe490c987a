// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The least-squares line through the values of a channel, `theirs = scale * ours + bias`.
struct ChannelFit {
  /// The factor for `ours`; nil if all of `ours` are equal, so that no line can be fitted.
  let scale: Double?
  /// The number that is added.
  let bias: Double
  /// The root mean square distance of `theirs` from the line, in the units of `theirs`.
  let residual: Double
  /// The correlation from -1 to 1; 1 if all values of one side are equal.
  let correlation: Double

  /// Fits a line.
  ///
  /// - Parameters:
  ///   - ours: Values from 0 to 255.
  ///   - theirs: The same number of values.
  ///   - step: The distance between the values that are used; 1 uses all of them.
  init(_ ours: [Float], _ theirs: [Float], step: Int = 1) {
    var (sumX, sumY, sumXX, sumXY, sumYY, count) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    // Sum the differences from the first value, because they stay small and therefore exact for
    // longer.
    let (firstX, firstY) = (Double(ours.first ?? 0), Double(theirs.first ?? 0))
    var index = 0
    while index < ours.count {
      let x = Double(ours[index]) - firstX
      let y = Double(theirs[index]) - firstY
      sumX += x
      sumY += y
      sumXX += x * x
      sumXY += x * y
      sumYY += y * y
      count += 1
      index &+= step
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
