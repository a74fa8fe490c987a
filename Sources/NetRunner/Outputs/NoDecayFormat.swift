// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Shows all labelled values, highest first.
///
/// The values of live images aren't smoothed.
///
/// Outputs without labels are shown as in ``PropertyListFormat``.
public struct NoDecayFormat: OutputFormat {
  public let decays = false

  /// Creates the format.
  public init() {}

  public func text(for prediction: Prediction) -> String {
    prediction.classification?.top().lines ?? PropertyListFormat().text(for: prediction)
  }
}

extension OutputFormat where Self == NoDecayFormat {
  /// Shows all labelled values, highest first, without smoothing.
  public static var noDecay: NoDecayFormat { NoDecayFormat() }
}
