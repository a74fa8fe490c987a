// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EvaluationReport {
  /// What Net Runner always exported: `{"results": [...], "summary": [...]}`, without what is new
  /// around it.
  ///
  /// - Throws: `TensorIOError` for a report that cannot be written, which is a fault of ours.
  package func netRunnerJSON() throws -> String {
    StableJSON(document: [
      "results": try StableJSON(lines: results), "summary": try StableJSON(lines: summary),
    ]).text
  }
}
