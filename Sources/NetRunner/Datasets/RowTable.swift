// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A table of the values that a model takes, apart from its labels.
struct RowTable {
  private(set) var rows: [TableRow] = []
  /// A table with a name for each row and its label, if there is one.
  private(set) var labels: DelimitedText

  /// The names of columns of text, which aren't paths.
  private static let textNames: Set = [
    "text", "sentence", "sentence1", "sentence2", "question", "review", "content",
  ]

  /// Divides a CSV file; nil if it can't be such a table.
  ///
  /// - Parameters:
  ///   - table: The file, whose first line has the names of the columns.
  ///   - isCertain: Whether the table is known to be one of values. Otherwise, it must have a column
  ///     of numbers or one named `text` or similar beside its label, and neither paths of files nor
  ///     a column named for them.
  init?(_ table: DelimitedText, isCertain: Bool) {
    guard let header = table.rows.first?.cells, table.rows.count > 1 else { return nil }
    let rows = table.rows.dropFirst()
    let values = header.indices.filter { !TableReader.labelNames.contains(header[$0].lowercased()) }
    if !isCertain {
      let names = header.map { $0.lowercased() }
      guard !names.contains(where: { TableReader.pathNames.contains($0) }),
        header.allSatisfy({ TableReader.number($0) == nil && !$0.isEmpty }),
        Set(header).count == header.count,
        header.count > 1 || Self.textNames.contains(names[0]),
        !rows.prefix(100).contains(where: { $0.cells.contains(where: ImageFolder.isSample) }),
        values.contains(where: { column in
          Self.textNames.contains(names[column])
            || rows.allSatisfy {
              $0.cells[column].isEmpty || TableReader.number($0.cells[column]) != nil
            }
        })
      else { return nil }
    }
    let truths = header.indices.filter { !values.contains($0) }
    labels = table
    labels.rows = [.init(line: 1, cells: ["path"] + truths.map { header[$0] })]
    for (index, row) in rows.enumerated() {
      labels.rows.append(
        .init(line: row.line, cells: ["row \(index + 1)"] + truths.map { row.cells[$0] }))
      // Cells stay text, because "007" can be a word. Layers of numbers parse them.
      let cells = values.map { JSONValue.string(row.cells[$0]) }
      self.rows.append(TableRow(columns: values.map { header[$0] }, cells: cells))
    }
  }

  /// Reads a file with a JSON object in each line.
  init(jsonLines path: String) throws {
    labels = try DelimitedText([], path: path)
    var objects: [(line: Int, members: [String: JSONValue])] = []
    // The columns are in the order in which the file first names them.
    var places: [String: Int] = [:]
    let lines = try FileSystem.read(path).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do {
        guard case .object(let object) = try JSONValue(parsing: Data(line)) else {
          throw labels.error(index + 1, "a JSON object was expected")
        }
        objects.append((index + 1, object))
        if object.keys.contains(where: { places[$0] == nil }) {
          for key in JSONOutline(Data(line))?.keys ?? [] where places[key] == nil {
            places[key] = places.count
          }
        }
      } catch let error as JSONSyntaxError {
        throw labels.error(index + 1, "it is not JSON: \(error)")
      }
    }
    // A line may lack what others have, such as a label that isn't known.
    let truths = Set(places.keys.filter { TableReader.labelNames.contains($0.lowercased()) })
    let names = truths.sorted()
    labels.rows.append(.init(line: 0, cells: ["path"] + names))
    for (line, members) in objects {
      let cells = try names.map { name -> String in
        switch members[name] {
        case .string(let text): text
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let integer): "\(integer)"
        case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
        case nil, .null: ""
        case .array, .object:
          throw labels.error(line, "'\(name)' must be text or a number")
        }
      }
      labels.rows.append(.init(line: line, cells: ["line \(line)"] + cells))
      let values = members.keys.filter { !truths.contains($0) }.sorted {
        places[$0, default: 0] < places[$1, default: 0]
      }
      rows.append(TableRow(columns: values, cells: values.map { members[$0] ?? .null }))
    }
    guard !rows.isEmpty else { throw TensorIOError(.wrongKind, "'\(path)' has no rows.") }
  }
}
