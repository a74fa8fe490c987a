// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Formats a model's prediction as text.
///
/// Programs can add formats for their own models by registering them with ``OutputFormats``.
public protocol OutputFormat: Sendable {
  /// Whether the labelled values of live images are smoothed with ``LiveDecay``.
  var decays: Bool { get }

  /// Human-readable text of one or more lines, without a trailing line feed.
  func text(for prediction: Prediction) -> String
}
