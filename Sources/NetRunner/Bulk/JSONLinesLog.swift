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
  private let path: String
  private let lock: LogLock
  private var file: OpenFile
  private static let lineFeed = UInt8(ascii: "\n")

  /// Opens a file, or creates it if it is missing.
  ///
  /// - Throws: `TensorIOError` if the file can't be written.
  public init(_ path: String) throws {
    self.path = path
    lock = try LogLock(for: path)
    file = try Self.writing { try OpenFile(appending: path) }
    try takeOffCutLine()
  }

  /// Throws unless the file starts like a log, so that files of other kinds are never truncated.
  private func checkBeginning() throws {
    let opened = try FileSystem.open(path)
    guard let beginning = try? opened.read(atMost: 1 << 20) else { return }
    let line = beginning.prefix { $0 != Self.lineFeed }
    let isWhole = line.count < beginning.count
    let isRow = (try? JSONDecoder().decode(BulkRow.self, from: Data(line))) != nil
    // A first line that was cut short still starts like a row.
    let isCutRow = !isWhole && line.starts(with: Array(#"{"error":"#.utf8.prefix(line.count)))
    guard line.isEmpty && beginning.isEmpty || isRow || isCutRow else {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' has no rows of a bulk run, so it was left unchanged. Name another file.")
    }
  }

  public func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    let file = try FileSystem.open(path)
    let decoder = StableJSON.makeDecoder()
    var rest: [UInt8] = []
    var number = 0
    while let piece = try? file.read(atMost: 1 << 16), !piece.isEmpty {
      rest += piece
      var start = rest.startIndex
      while let end = rest[start...].firstIndex(of: Self.lineFeed) {
        number += 1
        do {
          try body(decoder.decode(BulkRow.self, from: Data(rest[start..<end])))
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
    for row in rows { lines += try Self.line(of: row) }
    // All lines are written in one call, so that a kill cuts at most one line short.
    try Self.writing { try file.write(lines) }
  }

  public func removeFailures(of models: Set<String>) throws {
    try AtomicOutput(path, replaces: true).write { fresh in
      let kept = try OpenFile(appending: fresh)
      try forEachRow { row in
        guard !row.result.error || !models.contains(row.result.model) else { return }
        try kept.write(Self.line(of: row))
      }
    }
    file = try Self.writing { try OpenFile(appending: path) }
  }

  private static func line(of row: BulkRow) throws -> [UInt8] {
    Array(try StableJSON(row).text.utf8) + [lineFeed]
  }

  public func flush() throws { try Self.writing { try file.flush() } }

  private static func writing<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as FileError {
      throw TensorIOError(writing: error)
    }
  }

  private func takeOffCutLine() throws {
    try checkBeginning()
    let size = try Self.writing { try file.status.size }
    var end = size
    while end > 0 {
      let start = max(0, end - 4096)
      let piece = try Self.writing { try file.bytes(in: start..<end) }
      if let last = piece.lastIndex(of: Self.lineFeed) {
        end = start + last + 1
        break
      }
      end = start
    }
    if end < size { try Self.writing { try file.truncate(to: end) } }
  }
}
