// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a single-shot detector encodes boxes relative to anchors.
package struct SSDOptions: Sendable, Equatable {
  /// The order of the encoded values, which also is the order of the coordinates of points.
  package enum Order: String, Sendable, CaseIterable {
    /// Center y, center x, height, width.
    case yxhw
    /// Center x, center y, width, height.
    case xywh
  }

  package var order: Order
  /// The divisors of y, x, height and width, in this order.
  package var scale: [Float]
  /// Whether sizes are logarithms.
  package var isExponential: Bool
  /// Whether the first score is the background's.
  ///
  /// The class with the next score then has index 0.
  package var hasBackground: Bool
  package var activation: BoxActivation
  /// The number of points behind the four values of a box.
  package var points: Int

  package init(
    order: Order = .yxhw, scale: [Float] = [10, 10, 5, 5], isExponential: Bool = true,
    hasBackground: Bool = false, activation: BoxActivation = .sigmoid, points: Int = 0
  ) {
    self.order = order
    self.scale = scale
    self.isExponential = isExponential
    self.hasBackground = hasBackground
    self.activation = activation
    self.points = points
  }

  /// MediaPipe's face detector, whose input has this width and height in pixels.
  ///
  /// MediaPipe also clips scores to ±100 before the sigmoid, which changes no result.
  package static func blazeFace(inputSize: Float) -> Self {
    Self(
      order: .xywh, scale: Array(repeating: inputSize, count: 4), isExponential: false, points: 6)
  }
}

extension BoxSelection {
  /// The values of MediaPipe's face detector.
  package static var blazeFace: Self {
    Self(threshold: 0.5, iou: 0.3, suppression: .weighted)
  }
}
