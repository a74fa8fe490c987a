// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Files
import StoredRows
import TensorIO

extension LabelStore {
  /// The schema, whose application ID "TIOL" distinguishes label stores from other databases.
  private static let schema = SQLiteSchema(
    applicationID: 0x5449_4F4C,
    steps: [
      (
        "1: settings, photos, labels and changes",
        """
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
        """
      )
    ])

  /// Opens a database and updates its schema.
  ///
  /// Two processes that create the same file at the same time can disturb each other. Opening is
  /// therefore retried until one second after `busyTimeout`.
  static func open(_ path: String, busyTimeout: Double) throws -> SQLiteFile {
    let end = ContinuousClock.now + .seconds(busyTimeout + 1)
    while true {
      do {
        // People label photos by hand, so every label must be on disk before the call returns.
        return try SQLiteFile(path, busySeconds: busyTimeout, isDurable: true, schema: schema)
      } catch SQLiteSchema.Mismatch.foreign {
        throw TensorIOError(
          .unreadableFile, "'\(path)' is a database of another program, so it was left unchanged.")
      } catch SQLiteSchema.Mismatch.newer {
        throw TensorIOError(
          .unreadableFile,
          "'\(path)' was made by a newer version of this program; use that one, or another file.")
      } catch let error as SQLiteError {
        let isRace = [.busy, .error, .constraint, .schema, .locked].contains(error.code)
        guard isRace, ContinuousClock.now < end else { throw explained(error, path) }
        usleep(50_000)
      }
    }
  }

  /// Stores the root of a new store, and returns the root of an existing one.
  ///
  /// It is stored relative to the store file's folder, which is also the default. Neither path has
  /// symbolic links. A requested root that differs from the stored one is an error.
  static func root(_ database: SQLiteFile, _ root: String?, folder: String) throws -> String {
    let sql = "SELECT value FROM setting WHERE name = 'root'"
    var kept = try database.read { try value($0, sql) }
    if kept == nil {
      let path = (root ?? folder).path(from: folder)
      kept = try database.write { database in
        try database.execute(
          "INSERT OR IGNORE INTO setting (name, value) VALUES ('root', ?)", [path])
        return try value(database, sql)
      }
    }
    let path = folder + "/" + (kept ?? ".")
    guard let real = FileOperations.realPath(path) else {
      throw TensorIOError(
        .fileNotFound,
        "The label store '\(database.path)' needs the folder '\(path)', which is missing.")
    }
    guard root == nil || root == real else {
      throw TensorIOError(
        .invalidOption,
        "The label store '\(database.path)' has paths relative to '\(real)', not to "
          + "'\(root ?? "")'.")
    }
    return real
  }

  private static func value(_ database: SQLiteConnection, _ sql: String) throws -> String? {
    guard let row = try rows(database, "setting", sql).first else { return nil }
    return try row.text("value")
  }

  static func explained(_ error: SQLiteError, _ path: String) -> TensorIOError {
    let reason =
      switch error.code {
      case .notADatabase: "it isn't a label store"
      case .corrupt: "it is damaged"
      case .busy, .locked: "another process is using it; try again"
      case .full: "the disk is full"
      case .readOnly: "it cannot be written"
      case .cannotOpen: "it cannot be opened; its folder must exist and be writable"
      default: error.message
      }
    return TensorIOError(
      .unreadableFile, "The label store '\(path)' cannot be used: \(reason).", cause: error)
  }
}
