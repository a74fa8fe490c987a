// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Options for exporting labels to other programs.
package struct LabelExportOptions: Sendable, Hashable {
  /// The format.
  ///
  /// If nil, the path's extension decides.
  package var format: Format?
  /// Whether an existing file or folder is replaced.
  package var replaces = false
  /// The output that the labels belong to.
  ///
  /// If nil, text labels belong to `classification` and numbers to `values`.
  package var output: String?
  /// The test bundle's metric.
  ///
  /// If nil, text labels use `EvaluationMetricAccuracyTop5` and numbers use `regression`.
  package var metric: String?

  /// Creates options.
  package init(format: Format? = nil, replaces: Bool = false) {
    self.format = format
    self.replaces = replaces
  }

  /// The formats of exported labels.
  package enum Format: String, Sendable, CaseIterable {
    /// A `.testbundle` folder with a test.json and the photos.
    case testBundle = "testbundle"
    /// A table of paths and labels, without the photos themselves.
    case csv
    /// A zip file with a labels.json and the photos, in the format that Net Runner has always
    /// exported.
    case zip
  }
}

/// The outcome of an export or import.
package struct LabelTransfer: Sendable, Hashable {
  /// The number of labels that were transferred.
  package var count: Int
  /// Human-readable notes about what was left out.
  package var notes: [String]
}
