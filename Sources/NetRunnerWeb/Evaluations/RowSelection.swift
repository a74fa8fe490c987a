// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO

/// A client's selection of an evaluation's rows.
struct RowSelection: Sendable {
  private enum Kind: String {
    case all, errors, wrong
  }

  private let model: String?
  private let kind: Kind
  private let offset: Int
  private let limit: Int

  private static let maximumCount = 500

  /// Reads the selection from a request's query.
  ///
  /// - Throws: ``WebError`` if an option is invalid. The message names the option and says what it
  ///   takes.
  init(_ query: Query) throws {
    model = query.text("model")
    offset = try query.integer("offset", in: 0...Int(Int32.max)) ?? 0
    limit = try query.integer("limit", in: 1...Self.maximumCount) ?? 50
    let word = query.text("only") ?? "all"
    guard let kind = Kind(rawValue: word) else {
      throw WebError.badRequest("'only' must be all, errors or wrong, not '\(word.prefix(40))'.")
    }
    self.kind = kind
  }

  /// Returns one page of the selected rows, and the total number of selected rows.
  func page(of rows: [ResultRow]) -> JSONValue {
    var page: [ResultRow] = []
    var count = 0
    for row in rows where isWanted(row) {
      if count >= offset, page.count < limit { page.append(row) }
      count += 1
    }
    return .object(["rows": .array(page.map(\.json)), "count": .count(count)])
  }

  private func isWanted(_ row: ResultRow) -> Bool {
    if let model, row.model != model { return false }
    return switch kind {
    case .all: true
    case .errors: row.error
    case .wrong: row.isCorrect == false
    }
  }
}
#endif
