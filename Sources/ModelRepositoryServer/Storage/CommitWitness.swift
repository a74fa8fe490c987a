// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import Synchronization

/// The file `COMMITS`, which contains the number of changes in the database at the last commit.
///
/// If a write-ahead log is truncated, the database is still valid, but in the state of an earlier
/// commit. SQLite can't detect that. The number is written after each commit and before the
/// response, but it isn't flushed to the disk. After a power failure it may therefore be behind the
/// database, but never ahead of it.
final class CommitWitness: TransactionObserver, Sendable {
  /// What is wrong, as a sentence; nil if no changes were lost.
  let fault: String?

  /// The file for the number; nil if changes were lost.
  ///
  /// In that case the file stays as it is, so that nobody overlooks the loss.
  private let file: FileHandle?
  private let last: Mutex<Int>

  /// Compares the file with a database and its number of changes, or creates the file.
  init(_ path: String, changes: Int) throws {
    last = Mutex(changes)
    if let text = try Self.text(path) {
      let numbers = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
      if numbers.count == 1, let known = numbers[0], known <= changes {
        fault = nil
      } else if (1...2).contains(numbers.count), let known = numbers[0] {
        let found = numbers.last.flatMap { $0 }.map { $0 < known ? $0 : changes } ?? changes
        fault =
          "The database has lost changes that were already confirmed: it should have at least "
          + "\(known) changes, but it had \(found). Its write-ahead log was truncated, or an "
          + "older database replaced it. Restore the repository's backup. To continue with what "
          + "is left, delete '\(path)'."
        // The file keeps both numbers, so that further changes don't hide the loss.
        if numbers.count == 1 { try Self.write("\(Self.line(known))\(Self.line(changes))", path) }
      } else {
        fault =
          "'\(path)' should contain the number of the last change, but it can't be read. Changes "
          + "may have been lost. To continue with the data that is there, delete the file."
      }
    } else {
      fault = nil
      try Self.write(Self.line(changes), path)
      try FileSystem.flush(path)
    }
    file = fault == nil ? FileHandle(forUpdatingAtPath: path) : nil
  }

  /// Returns the number in a file; nil if the file doesn't exist or contains no number.
  static func changes(_ path: String) throws -> Int? {
    try text(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }

  // MARK: - Transactions

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseDidCommit(_ database: Database) {
    // If the database can't be read any more, the caller gets the database's own error.
    guard let file, let changes = try? RowChecksums.changes(database) else { return }
    last.withLock { last in
      guard changes > last else { return }
      last = changes
      let line = Array(Self.line(changes).utf8)
      // If this write fails, the file contains an earlier number, which is harmless.
      _ = pwrite(file.fileDescriptor, line, line.count, 0)
    }
  }

  func databaseDidRollback(_ database: Database) {}

  // MARK: - The file

  /// Formats a number with a fixed length, because the file is overwritten in place.
  private static func line(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 20 - digits.count)) + digits + "\n"
  }

  private static func text(_ path: String) throws -> String? {
    guard try FileSystem.size(of: path) != nil else { return nil }
    guard let data = FileManager.default.contents(atPath: path), data.count <= 100 else {
      return ""
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static func write(_ text: String, _ path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      throw RepositoryError(storage: "'\(path)' cannot be written", FileSystem.reason(for: error))
    }
  }
}
#endif
