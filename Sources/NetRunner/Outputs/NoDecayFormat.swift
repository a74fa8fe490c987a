// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// All labelled values, highest first, as they are: a live picture's do not fade.
///
/// Outputs without labels are shown as ``PropertyListFormat`` does.
public struct NoDecayFormat: OutputFormat {
  public let decays = false

  /// Makes the format.
  public init() {}

  public func text(for prediction: Prediction) -> String {
    prediction.classification?.top().lines ?? PropertyListFormat().text(for: prediction)
  }
}

extension OutputFormat where Self == NoDecayFormat {
  /// All labelled values, highest first, as they are.
  public static var noDecay: NoDecayFormat { NoDecayFormat() }
}
