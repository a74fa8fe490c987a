// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file `COMMITS`: how many changes the database had when something was last committed.
///
/// A database cannot tell that its write-ahead log was cut off: it is a sound database then, as it
/// was some commits ago. The number is written after each commit and before its answer, and it is
/// not flushed to the disk. It may therefore be behind the database, after the power was lost, but
/// never ahead of it.
final class CommitWitness: TransactionObserver, Sendable {
  /// What is wrong, in a sentence; nil where nothing was lost.
  let fault: String?

  /// Where the number is written; nil where changes were lost.
  ///
  /// The file stays as it is then, so that nobody overlooks it.
  private let file: FileHandle?
  private let last: Mutex<Int>

  /// Compares the file with a database, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - changes: How many changes the database has.
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  init(_ path: String, changes: Int) throws {
    last = Mutex(changes)
    if let text = try Self.text(path) {
      let numbers = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
      if numbers.count == 1, let known = numbers[0], known <= changes {
        fault = nil
      } else if (1...2).contains(numbers.count), let known = numbers[0] {
        let found = numbers.last.flatMap { $0 }.map { $0 < known ? $0 : changes } ?? changes
        fault =
          "The database has lost changes that were acknowledged: it should have \(known) or more, "
          + "but it had \(found). Its write-ahead log was cut off, or an older database was put in "
          + "its place. Restore the repository's backup; to go on with what is left, delete "
          + "'\(path)'."
        // Further changes must not hide it.
        if numbers.count == 1 { try Self.write("\(Self.line(known))\(Self.line(changes))", path) }
      } else {
        fault =
          "'\(path)' should have the number of the last change, but it cannot be read. Nobody can "
          + "tell whether changes were lost. Delete the file to go on with what is there."
      }
    } else {
      fault = nil
      try Self.write(Self.line(changes), path)
      try FileSystem.flush(path)
    }
    file = fault == nil ? FileHandle(forUpdatingAtPath: path) : nil
  }

  /// The number that a file has; nil where there is no file or no number.
  ///
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  static func changes(_ path: String) throws -> Int? {
    try text(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }

  // MARK: - Transactions

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseDidCommit(_ database: Database) {
    // A database that cannot be read any more has answered, or will answer, with its own error.
    guard let file, let changes = try? RowChecksums.changes(database) else { return }
    last.withLock { last in
      guard changes > last else { return }
      last = changes
      let line = Array(Self.line(changes).utf8)
      // A number that could not be written stays behind, which is harmless.
      _ = pwrite(file.fileDescriptor, line, line.count, 0)
    }
  }

  func databaseDidRollback(_ database: Database) {}

  // MARK: - The file

  /// A number of always the same length: the file is written in place.
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
      throw RepositoryError(
        .storage, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).")
    }
  }
}
#endif
