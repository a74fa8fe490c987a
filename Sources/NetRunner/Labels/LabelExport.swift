// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How labels are written for other programs.
public struct LabelExportOptions: Sendable, Hashable {
  /// The form; nil means that the path's extension tells.
  public var format: Format?
  /// Whether a file or folder that is there is replaced.
  public var replaces = false
  /// The output that the labels belong to; nil means `classification` for texts and `values` for
  /// numbers.
  public var output: String?
  /// The test bundle's metric; nil means `EvaluationMetricAccuracyTop5` for texts and `regression`
  /// for numbers.
  public var metric: String?

  /// Makes options.
  public init(format: Format? = nil, replaces: Bool = false) {
    self.format = format
    self.replaces = replaces
  }

  /// The forms of labels' files.
  public enum Format: String, Sendable, CaseIterable {
    /// A folder `.testbundle` with a test.json and the photos.
    case testBundle = "testbundle"
    /// A table of paths and labels; the photos stay where they are.
    case csv
    /// A zip file with a labels.json and the photos, as Net Runner always exported it.
    case zip
  }
}

/// What was written, or read in.
public struct LabelTransfer: Sendable, Hashable {
  /// How many labels.
  public var count: Int
  /// What was left out, for people to read.
  public var notes: [String]
}
