// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A box that a model proposes, or that is left after selection.
///
/// Coordinates are in the tensor's own units: pixels or fractions of the model's input. An oriented
/// box is stored as the upright box before the rotation. `angle` then rotates it about its center.
package struct DecodedBox: Sendable, Equatable {
  package var left: Float
  package var top: Float
  package var right: Float
  package var bottom: Float
  package var score: Float
  /// The index of the class, without the background.
  package var classIndex: Int
  /// The index of the row or anchor in the tensor, where its points and mask coefficients are.
  package var source: Int
  /// The clockwise rotation in radians, if y points down; nil for upright boxes.
  package var angle: Float?

  package init(
    left: Float, top: Float, right: Float, bottom: Float, score: Float = 0, classIndex: Int = 0,
    source: Int = 0, angle: Float? = nil
  ) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
    self.score = score
    self.classIndex = classIndex
    self.source = source
    self.angle = angle
  }

  /// Creates a box without score around a center.
  package init(
    centerX: Float, centerY: Float, width: Float, height: Float, angle: Float? = nil
  ) {
    self.init(
      left: centerX - width / 2, top: centerY - height / 2, right: centerX + width / 2,
      bottom: centerY + height / 2, angle: angle)
  }

  package var width: Float { right - left }
  package var height: Float { bottom - top }

  /// Whether the box has a place and a size that isn't negative.
  ///
  /// An infinite or undefined coordinate always makes a width or height infinite or undefined.
  var isUsable: Bool {
    width >= 0 && width < .infinity && height >= 0 && height < .infinity
      && (angle?.isFinite ?? true)
  }
}
