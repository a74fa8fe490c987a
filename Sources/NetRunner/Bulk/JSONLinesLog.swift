// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

/// Rows as JSON, one a line.
///
/// A line that a kill cut short is taken off when the file is opened again.
public final class JSONLinesLog: BulkLog {
  private let path: String
  private let lock: LogLock
  private var handle: FileHandle
  private static let lineFeed = UInt8(ascii: "\n")

  /// Opens a file, or makes it.
  ///
  /// - Throws: `TensorIOError` when the file cannot be written.
  public init(_ path: String) throws {
    self.path = path
    lock = try LogLock(for: path)
    if !FileSystem.isFile(path) {
      guard FileManager.default.createFile(atPath: path, contents: nil) else {
        throw TensorIOError(.unreadableFile, "'\(path)' cannot be made.")
      }
    }
    do {
      handle = try FileHandle(forUpdating: URL(filePath: path))
    } catch {
      throw Self.failure(path, error)
    }
    try takeOffCutLine()
  }

  /// Throws unless the file begins as a log does: nothing is cut off a file of another kind.
  private func checkBeginning() throws {
    guard let beginning = try ReadableFile(path).read(atMost: 1 << 20) else { return }
    let line = beginning.prefix { $0 != Self.lineFeed }
    let isWhole = line.count < beginning.count
    let isRow = (try? JSONDecoder().decode(BulkRow.self, from: Data(line))) != nil
    // A first line that was cut still begins like one.
    let isCutRow = !isWhole && line.starts(with: Array(#"{"error":"#.utf8.prefix(line.count)))
    guard line.isEmpty && beginning.isEmpty || isRow || isCutRow else {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' has no rows of a bulk run, and stays as it is. Name another file.")
    }
  }

  public func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    let file = try ReadableFile(path)
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    var rest: [UInt8] = []
    var number = 0
    while let piece = file.read(atMost: 1 << 16), !piece.isEmpty {
      rest += piece
      var start = rest.startIndex
      while let end = rest[start...].firstIndex(of: Self.lineFeed) {
        number += 1
        do {
          try body(decoder.decode(BulkRow.self, from: Data(rest[start..<end])))
        } catch let error as DecodingError {
          throw TensorIOError(
            .unreadableFile,
            "'\(path)', line \(number): it is no row of a bulk run. Name another file.",
            cause: error)
        }
        start = end + 1
      }
      rest.removeSubrange(..<start)
    }
  }

  public func append(_ rows: [BulkRow]) throws {
    var lines = Data()
    do {
      for row in rows { lines += try Self.line(of: row) }
      // One call: a kill cuts one line at most.
      try handle.write(contentsOf: lines)
    } catch {
      throw Self.failure(path, error)
    }
  }

  public func removeFailures(of models: Set<String>) throws {
    try FreshOutput(path, replaces: true).write { fresh in
      try Data().write(to: URL(filePath: fresh))
      let kept = try FileHandle(forWritingTo: URL(filePath: fresh))
      try forEachRow { row in
        guard !row.result.error || !models.contains(row.result.model) else { return }
        try kept.write(contentsOf: Self.line(of: row))
      }
      try kept.close()
    }
    do {
      handle = try FileHandle(forUpdating: URL(filePath: path))
      try handle.seekToEnd()
    } catch {
      throw Self.failure(path, error)
    }
  }

  private static func line(of row: BulkRow) throws -> Data {
    var line = Data(try StableJSON(row).text.utf8)
    line.append(lineFeed)
    return line
  }

  public func flush() throws {
    do { try handle.synchronize() } catch { throw Self.failure(path, error) }
  }

  private func takeOffCutLine() throws {
    try checkBeginning()
    do {
      var end = try handle.seekToEnd()
      let size = end
      while end > 0 {
        let start = end > 4096 ? end - 4096 : 0
        try handle.seek(toOffset: start)
        let piece = try handle.read(upToCount: Int(end - start)) ?? Data()
        if let last = piece.lastIndex(of: Self.lineFeed) {
          end = start + UInt64(last - piece.startIndex) + 1
          break
        }
        end = start
      }
      if end < size { try handle.truncate(atOffset: end) }
      try handle.seek(toOffset: end)
    } catch {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: any Error) -> TensorIOError {
    TensorIOError(
      .unreadableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
      cause: error)
  }
}
