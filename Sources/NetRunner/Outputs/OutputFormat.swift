// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Says in words what a model says about a picture.
///
/// Programs have their own for their models, and give it to ``OutputFormats`` under a name.
public protocol OutputFormat: Sendable {
  /// Whether a live picture's labelled values fade into each other, as ``LiveDecay`` does it.
  var decays: Bool { get }

  /// The text for people, of one line or several, without a line feed at its end.
  func text(for prediction: Prediction) -> String
}
