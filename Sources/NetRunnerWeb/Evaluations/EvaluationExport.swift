// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import NetRunner

/// The formats in which a report can be downloaded.
enum EvaluationExport: String, Sendable, CaseIterable {
  /// The JSON report that `tensorio evaluate` writes.
  case json
  /// A table of the rows.
  case csv
  /// A web page for people.
  case html
  /// Net Runner's original export format.
  case netRunner = "netrunner"

  /// Reads the format from a request's query, which is JSON by default.
  ///
  /// - Throws: ``WebError`` if the format is unknown.
  init(_ query: Query) throws {
    let word = query.text("format") ?? "json"
    guard let format = Self(rawValue: word) else {
      throw WebError.badRequest(
        "'format' must be json, csv, html or netrunner, not '\(word.prefix(40))'.")
    }
    self = format
  }

  /// Makes the download, blocking the calling thread.
  ///
  /// - Throws: `TensorIOError` if the report can't be written.
  func response(_ report: EvaluationReport, of dataset: Dataset) throws -> Response {
    let text =
      switch self {
      case .json: try report.json()
      case .csv: report.csv()
      case .html: try HTMLReport(report, pictures: ReportPictures(dataset)).text()
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
