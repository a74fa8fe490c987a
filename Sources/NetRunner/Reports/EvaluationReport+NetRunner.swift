// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EvaluationReport {
  /// The report in the format that Net Runner has always exported.
  ///
  /// This is `{"results": [...], "summary": [...]}`, without the report's other members.
  ///
  /// - Throws: `TensorIOError` if the report can't be encoded, which is a bug in this library.
  package func netRunnerJSON() throws -> String {
    StableJSON(document: [
      "results": try StableJSON(lines: results), "summary": try StableJSON(lines: summary),
    ]).text
  }
}
