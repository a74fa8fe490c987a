// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EvaluationReport {
  /// The report as a CSV table (RFC 4180) with a row for each model and image, in the report's
  /// order.
  ///
  /// The columns are always these, in this order: `model`, `index`, `image`, `type`, `test_bundle`,
  /// `truth`, `predicted`, `score`, `correct` (`true`, `false` or empty), `error` (`true` or
  /// `false`), `error_description`, `decode_ms`, `preprocess_ms`, `inference_ms`, `postprocess_ms`,
  /// `total_ms`. A missing value is an empty field. Numbers are written with all digits. Numbers
  /// that aren't finite are written as `nan`, `inf` and `-inf`.
  ///
  /// Spreadsheets evaluate fields that begin with `=`, `+`, `-`, `@`, a tab or a line break as
  /// formulas. Such text gets an apostrophe in front, unless it is a plain number. Text that begins
  /// with an apostrophe gets another one. To read the text back, remove one leading apostrophe.
  public func csv() -> String {
    results.reduce(into: CSV.line(ResultRow.csvColumns)) { $0 += CSV.line($1.csvFields) }
  }
}

extension ResultRow {
  /// The column names of ``csvFields``.
  static let csvColumns: [CSV.Field] = [
    "model", "index", "image", "type", "test_bundle", "truth", "predicted", "score", "correct",
    "error", "error_description", "decode_ms", "preprocess_ms", "inference_ms", "postprocess_ms",
    "total_ms",
  ].map { .text($0) }

  /// The row as a line of ``EvaluationReport/csv()``.
  var csvFields: [CSV.Field] {
    [
      .text(model), .integer(index), .text(image), .text(type), .text(testBundle), .text(truth),
      .text(predicted), .number(score), .bool(isCorrect), .bool(error), .text(errorDescription),
      .number(evaluation?.decodeLatency), .number(evaluation?.preprocessorLatency),
      .number(evaluation?.inferenceLatency), .number(evaluation?.postprocessLatency),
      .number(evaluation?.total),
    ]
  }
}
