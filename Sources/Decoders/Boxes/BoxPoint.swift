// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A point of an object, such as an eye or a shoulder, in the units of its box.
package struct BoxPoint: Sendable, Equatable {
  package var x: Float
  package var y: Float
  /// How sure the model is that the point is visible; nil if it doesn't tell.
  package var score: Float?

  package init(x: Float, y: Float, score: Float? = nil) {
    self.x = x
    self.y = y
    self.score = score
  }
}
