// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import GRDB
import TensorIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LabelStore {
  /// "TIOL": tells the files from other programs' SQLite databases.
  private static let applicationID = 0x5449_4F4C

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: settings, photos, labels and changes") { database in
      try database.execute(
        sql: """
          CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
          );
          CREATE TABLE photo (
            id INTEGER PRIMARY KEY,
            path TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            UNIQUE (path, sha256)
          );
          CREATE INDEX photoBySHA256 ON photo (sha256);
          CREATE TABLE label (
            model TEXT NOT NULL,
            photo INTEGER NOT NULL REFERENCES photo (id),
            label TEXT NOT NULL,
            PRIMARY KEY (model, photo)
          );
          CREATE TABLE change (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            step INTEGER NOT NULL,
            model TEXT NOT NULL,
            photo INTEGER NOT NULL REFERENCES photo (id),
            before TEXT,
            after TEXT
          );
          CREATE INDEX changeByStep ON change (step);
          PRAGMA application_id = \(applicationID);
          """)
    }
    return migrator
  }

  /// Opens a database and brings it up to date.
  ///
  /// Two processes that make the same file at once can get into each other's way: then it is tried
  /// again, for about a second longer than one of them may wait for a lock.
  static func open(_ path: String, busyTimeout: Double) throws -> DatabasePool {
    let end = ContinuousClock.now + .seconds(busyTimeout + 1)
    while true {
      do {
        return try openOnce(path, busyTimeout: busyTimeout)
      } catch let error as DatabaseError {
        let isRace = [
          .SQLITE_BUSY, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_SCHEMA, .SQLITE_LOCKED,
        ].contains(error.resultCode)
        guard isRace, ContinuousClock.now < end else { throw explained(error, path) }
        usleep(50_000)
      }
    }
  }

  private static func openOnce(_ path: String, busyTimeout: Double) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.label = "LabelStore"
    configuration.busyMode = .timeout(busyTimeout)
    configuration.prepareDatabase { database in
      // Labels are made by hand: each one is on the disk before it is said to be.
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    let isComplete = try pool.read { database in
      let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
      let tables = try Int.fetchOne(
        database, sql: "SELECT COUNT(*) FROM sqlite_master WHERE name <> 'grdb_migrations'")
      guard id == applicationID || (id == 0 && tables == 0) else {
        throw TensorIOError(
          .unreadableFile, "'\(path)' is a database of another program, and stays as it is.")
      }
      guard try !migrator.hasBeenSuperseded(database) else {
        throw TensorIOError(
          .unreadableFile,
          "'\(path)' was made by a newer version of this program; use that one, or another file.")
      }
      return try migrator.hasCompletedMigrations(database)
    }
    if !isComplete { try migrator.migrate(pool) }
    return pool
  }

  /// Keeps the root of a new store, and tells that of one that is there.
  ///
  /// - Parameters:
  ///   - pool: The database.
  ///   - root: The root that was asked for, without links; nil takes what is kept.
  ///   - folder: The file's own folder, without links: the root is kept as a path from there.
  /// - Returns: The root.
  /// - Throws: `TensorIOError` for another root than the one that is kept.
  static func root(_ pool: DatabasePool, _ root: String?, folder: String) throws -> String {
    let sql = "SELECT value FROM setting WHERE name = 'root'"
    var kept = try pool.read { try String.fetchOne($0, sql: sql) }
    if kept == nil {
      let path = (root ?? folder).path(from: folder)
      kept = try pool.write { database in
        try database.execute(
          sql: "INSERT OR IGNORE INTO setting (name, value) VALUES ('root', ?)", arguments: [path])
        return try String.fetchOne(database, sql: sql)
      }
    }
    let path = folder + "/" + (kept ?? ".")
    guard let real = PictureFolder.realPath(path) else {
      throw TensorIOError(
        .fileNotFound,
        "The folder '\(path)' that the label store '\(pool.path)' keeps paths from is gone.")
    }
    guard root == nil || root == real else {
      throw TensorIOError(
        .invalidOption,
        "The label store '\(pool.path)' keeps paths from '\(real)', not from '\(root ?? "")'.")
    }
    return real
  }

  /// SQLite's error in words.
  static func explained(_ error: DatabaseError, _ path: String) -> TensorIOError {
    let reason =
      switch error.resultCode {
      case .SQLITE_NOTADB: "it is no label store"
      case .SQLITE_CORRUPT: "it is damaged"
      case .SQLITE_BUSY, .SQLITE_LOCKED: "another process keeps it busy; try again"
      case .SQLITE_FULL: "the disk is full"
      case .SQLITE_READONLY: "it cannot be written"
      case .SQLITE_CANTOPEN: "it cannot be opened; its folder must be there, and be writable"
      default: "\(error.message ?? error.description)"
      }
    return TensorIOError(
      .unreadableFile, "The label store '\(path)' cannot be used: \(reason).", cause: error)
  }
}
