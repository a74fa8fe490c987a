// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Shows the best classes, one per line: `(0.62) rocking chair`.
///
/// Outputs without labels are shown as in ``PropertyListFormat``.
public struct ImageNetFormat: OutputFormat {
  public let decays = true

  /// Creates the format.
  public init() {}

  /// The five highest values that are greater than 0.1, highest first.
  public static func best(of classification: Classification) -> Classification {
    classification.top(5, threshold: 0.1)
  }

  public func text(for prediction: Prediction) -> String {
    guard let classification = prediction.classification else {
      return PropertyListFormat().text(for: prediction)
    }
    return Self.best(of: classification).lines
  }
}

extension OutputFormat where Self == ImageNetFormat {
  /// Shows the best classes, one per line: `(0.62) rocking chair`.
  public static var imageNet: ImageNetFormat { ImageNetFormat() }
}

extension Classification {
  /// One line for each value, in order.
  var lines: String { map { "(\($0.value.hundredths)) \($0.label)" }.joined(separator: "\n") }
}

extension Float {
  /// The number with two decimals, in the same format as C's `%.2f`.
  ///
  /// A float times 100 is exact in double precision. Halves are therefore true halves, and are
  /// rounded to the even neighbour.
  fileprivate var hundredths: String {
    let hundredfold = (Double(self) * 100).rounded(.toNearestOrEven)
    guard let whole = Int64(exactly: hundredfold) else { return description }
    let sign = self.sign == .minus && !isNaN ? "-" : ""
    let rest = whole.magnitude % 100
    return "\(sign)\(whole.magnitude / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
