// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Stores one row per line, as JSON.
///
/// If a kill cut the last line short, the line is removed when the file is opened again.
public final class JSONLinesLog: BulkLog {
  package let path: String
  private let lock: LogLock
  private var file: OpenFile
  /// The part of a manifest that the rows are, which the first row says.
  private var part: BulkPart?

  /// Opens a file, or creates it if it is missing.
  ///
  /// - Throws: `TensorIOError` if the file can't be written.
  public convenience init(_ path: String) throws { try self.init(path, replacing: false) }

  /// Opens a file, and removes an existing one if it is replaced and no other run writes to it.
  package init(_ path: String, replacing: Bool) throws {
    self.path = path
    lock = try LogLock(for: path)
    if replacing { try FileSystem.remove(path) }
    file = try writing { try OpenFile(appending: path) }
    try takeOffCutLine()
  }

  /// The start of each row, whose members are sorted.
  private static let start = #"{"error":"#

  /// Reads the part from the first row.
  ///
  /// Throws unless the file starts like a log, so that files of other kinds are never truncated.
  private func checkBeginning() throws {
    let opened = try FileSystem.open(path)
    let (line, isWhole) = try reading { try opened.firstLine(startingLike: [Self.start]) }
    let first = try? StableJSON.makeDecoder().decode(BulkRow.self, from: Data(line))
    // A first line that was cut short still starts like a row.
    let isCutRow = !isWhole && line.starts(with: Self.start.utf8.prefix(line.count))
    guard line.isEmpty && !isWhole || first != nil || isCutRow else {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' has no rows of a bulk run, so it was left unchanged. Name another file.")
    }
    // A row that was cut short will be written again, with the part.
    if isWhole { part = first?.part }
  }

  public func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    try forEachLine { row, _ in try body(row) }
  }

  /// Calls a closure with each row and its line, without the line feed.
  private func forEachLine(_ body: (BulkRow, ArraySlice<UInt8>) throws -> Void) throws {
    let file = try FileSystem.open(path)
    let decoder = StableJSON.makeDecoder()
    var rest: [UInt8] = []
    var number = 0
    while true {
      // A disk that fails must not look like the end of the file.
      let piece = try reading { try file.read(atMost: 1 << 16) }
      guard !piece.isEmpty else { return }
      rest += piece
      var start = rest.startIndex
      while let end = rest[start...].firstIndex(of: lineFeed) {
        number += 1
        do {
          let line = rest[start..<end]
          try body(decoder.decode(BulkRow.self, from: Data(line)), line)
        } catch let error as DecodingError {
          throw TensorIOError(
            .unreadableFile,
            "'\(path)', line \(number): this isn't a row of a bulk run. Name another file.",
            cause: error)
        }
        start = end + 1
      }
      rest.removeSubrange(..<start)
    }
  }

  public func append(_ rows: [BulkRow]) throws {
    var lines: [UInt8] = []
    let isFirst = try part != nil && isEmpty
    for (position, row) in rows.enumerated() {
      lines += try line(of: row, isFirst: isFirst && position == 0)
    }
    // All lines are written in one call, so that a kill cuts at most one line short.
    try writing { try file.write(lines) }
  }

  public func removeFailures(of models: Set<String>) throws {
    var failed: [String: Set<Int>] = [:]
    try forEachRow { row in
      guard row.result.error, row.place != nil else { return }
      failed[row.result.model, default: []].insert(row.result.index)
    }
    func isRemoved(_ row: BulkRow) -> Bool {
      let result = row.result
      let isEndOfFailed = row.isEnd && failed[result.model]?.contains(result.index) == true
      return (result.error || isEndOfFailed) && models.contains(result.model)
    }
    try AtomicOutput(path, replaces: true).write { fresh in
      let kept = try OpenFile(appending: fresh)
      var isFirst = true
      try forEachRow { row in
        guard !isRemoved(row) else { return }
        try kept.write(line(of: row, isFirst: isFirst))
        isFirst = false
      }
    }
    file = try writing { try OpenFile(appending: path) }
  }

  private func line(of row: BulkRow, isFirst: Bool) throws -> [UInt8] {
    var row = row
    row.part = isFirst ? part : nil
    return Array(try StableJSON(row).text.utf8) + [lineFeed]
  }

  public func flush() throws { try writing { try file.flush() } }

  private func takeOffCutLine() throws {
    try checkBeginning()
    let size = try writing { try file.status.size }
    let end = try writing { try file.endOfLines(size) }
    if end < size { try writing { try file.truncate(to: end) } }
  }
}

extension JSONLinesLog: PartLog {
  package func storedPart() -> BulkPart? { part }

  package func store(_ part: BulkPart) { self.part = part }

  package func forEachStoredRow(_ body: (BulkRow, String) throws -> Void) throws {
    try forEachLine { row, line in
      // Only the line of the first row has the part, and must be written again.
      guard row.part != nil else { return try body(row, String(decoding: line, as: UTF8.self)) }
      var row = row
      row.part = nil
      try body(row, row.line())
    }
  }

  package var isEmpty: Bool { get throws { try writing { try file.status.size == 0 } } }
}
