// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import NetRunner

/// The forms that a report is downloaded in.
enum EvaluationExport: String, Sendable, CaseIterable {
  /// The report of `tensorio evaluate`.
  case json
  /// A table of the rows.
  case csv
  /// A page for people.
  case html
  /// What Net Runner always exported.
  case netRunner = "netrunner"

  /// Reads the form that a request names.
  ///
  /// - Throws: ``WebError`` for another.
  init(_ query: Query) throws {
    let word = query.text("format") ?? "json"
    guard let format = Self(rawValue: word) else {
      throw WebError.badRequest(
        "'format' takes json, csv, html or netrunner, not '\(word.prefix(40))'.")
    }
    self = format
  }

  /// Makes the download, which blocks.
  ///
  /// - Throws: `TensorIOError` for a report that cannot be written.
  func response(_ report: EvaluationReport, of dataset: Dataset) throws -> Response {
    let text =
      switch self {
      case .json: try report.json()
      case .csv: report.csv()
      case .html: HTMLReport(report, pictures: ReportPictures(dataset)).text
      case .netRunner: try report.netRunnerJSON()
      }
    let name = "\(report.dataset.name.downloadName)-evaluation"
    return .download(text.utf8, type: type, name: name + ending)
  }

  private var type: String {
    switch self {
    case .json, .netRunner: "application/json"
    case .csv: "text/csv; charset=utf-8"
    case .html: "text/html; charset=utf-8"
    }
  }

  private var ending: String {
    switch self {
    case .json: ".json"
    case .csv: ".csv"
    case .html: ".html"
    case .netRunner: "-netrunner.json"
    }
  }
}
#endif
