// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import ModelRepositoryAPI

/// What is known of blobs, models, channels and tokens: `meta.sqlite`.
enum RepositoryDatabase {
  /// "TIOR": tells the files from other programs' SQLite databases.
  private static let applicationID = 0x5449_4F52

  /// Opens the database, or makes it.
  ///
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  static func open(_ path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.maximumReaderCount = 4
    configuration.foreignKeysEnabled = true
    do {
      let pool = try DatabasePool(path: path, configuration: configuration)
      // What was answered with 201 is on the disk, even when the power goes. Not in the
      // configuration: the pool itself sets NORMAL after it.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      try pool.read { database in
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        guard id == applicationID || (id == 0 && tables == 0) else {
          throw RepositoryError(
            .storage, "'\(path)' is a database of another program, and stays as it is.")
        }
      }
      let isNewer = try pool.read { try migrator.hasBeenSuperseded($0) }
      guard !isNewer else {
        throw RepositoryError(.storage, "'\(path)' was written by a newer version of this program.")
      }
      try migrator.migrate(pool)
      return pool
    } catch {
      throw failure(error, path)
    }
  }

  /// Opens a database that a server may have open, too, and that stays as it is.
  ///
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  static func openToRead(_ path: String) throws -> DatabaseQueue {
    guard try FileSystem.size(of: path) != nil else {
      throw RepositoryError(.storage, "'\(path)' is not there: that is no repository's folder.")
    }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    do {
      let database = try DatabaseQueue(path: path, configuration: configuration)
      let id = try database.read { try Int.fetchOne($0, sql: "PRAGMA application_id") }
      guard id == applicationID else {
        throw RepositoryError(.storage, "'\(path)' is a database of another program.")
      }
      return database
    } catch {
      throw failure(error, path)
    }
  }

  private static func failure(_ error: any Error, _ path: String) -> RepositoryError {
    if let error = error as? RepositoryError { return error }
    let reason = (error as? DatabaseError).map { $0.message ?? "\($0.resultCode)" } ?? "\(error)"
    return RepositoryError(.storage, "'\(path)' cannot be used as a database: \(reason).")
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("repository") { database in
      try database.execute(sql: schema)
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    }
    return migrator
  }

  // `version_blobs` names blobs by their digest and not by a foreign key: a blob that was lost has
  // no row any more, and the version that wants it still says so.
  private static let schema = """
    CREATE TABLE blobs (
      digest TEXT PRIMARY KEY, size INTEGER NOT NULL, used DATETIME NOT NULL) WITHOUT ROWID;
    CREATE TABLE uploads (
      id TEXT PRIMARY KEY, token TEXT, offset INTEGER NOT NULL, used DATETIME NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE models (
      name TEXT PRIMARY KEY, created DATETIME NOT NULL) WITHOUT ROWID;
    CREATE TABLE versions (
      model TEXT NOT NULL REFERENCES models(name), version TEXT NOT NULL,
      sequence INTEGER NOT NULL, manifest_digest TEXT NOT NULL, manifest_size INTEGER NOT NULL,
      size INTEGER NOT NULL, published DATETIME NOT NULL, withdrawn BOOLEAN NOT NULL DEFAULT 0,
      PRIMARY KEY (model, version), UNIQUE (model, sequence)) WITHOUT ROWID;
    CREATE TABLE version_blobs (
      model TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
      PRIMARY KEY (model, version, digest),
      FOREIGN KEY (model, version) REFERENCES versions(model, version)) WITHOUT ROWID;
    CREATE INDEX version_blobs_digest ON version_blobs(digest);
    CREATE TABLE channel_documents (
      model TEXT NOT NULL REFERENCES models(name), channel TEXT NOT NULL,
      document_version INTEGER NOT NULL, cause TEXT NOT NULL, restores INTEGER,
      renewal DATETIME NOT NULL, keys TEXT NOT NULL, content BLOB NOT NULL, signed BLOB NOT NULL,
      PRIMARY KEY (model, channel, document_version));
    CREATE TABLE tokens (
      id TEXT PRIMARY KEY, secret_hash BLOB NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL,
      models TEXT NOT NULL, created DATETIME NOT NULL, expires DATETIME, revoked DATETIME);
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT, time DATETIME NOT NULL, token TEXT,
      action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT);
    """
}
