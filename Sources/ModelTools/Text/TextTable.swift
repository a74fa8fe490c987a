// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Rows of text in columns that are only as wide as necessary.
package struct TextTable {
  private var rows: [[String]]

  package init(headings: [String]) { rows = [headings] }

  package mutating func append(_ cells: String...) { rows.append(cells.map(\.printable)) }

  /// Returns the lines, without the columns that are empty below their heading.
  package func lines(indentation: Int = 2) -> [String] {
    let columns = rows[0].indices.filter { column in
      rows.dropFirst().contains { !$0[column].isEmpty }
    }
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = "".padded(to: indentation)
      for (column, width) in zip(columns, widths) { line += row[column].padded(to: width + 2) }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

extension String {
  /// Returns the text, padded with spaces to a width.
  package func padded(to width: Int, onTheLeft: Bool = false) -> String {
    let space = String(repeating: " ", count: Swift.max(0, width - count))
    return onTheLeft ? space + self : self + space
  }
}
