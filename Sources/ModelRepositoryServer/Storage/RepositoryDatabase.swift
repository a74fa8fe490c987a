// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRDB
import ModelRepositoryAPI
import StoredRows

/// The database of blobs, models, channels and tokens: `meta.sqlite`.
enum RepositoryDatabase {
  /// "TIOR", which distinguishes the files from the SQLite databases of other programs.
  private static let applicationID = 0x5449_4F52

  /// The configuration of every connection.
  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { RowChecksums.addFunctions(to: $0) }
    return configuration
  }

  /// Opens or creates the database.
  ///
  /// - Returns: The database, and the witness that detects lost changes, whose file is `commits`.
  static func open(_ path: String, _ commits: String) throws -> (DatabasePool, CommitWitness) {
    var configuration = configuration
    configuration.maximumReaderCount = 4
    do {
      let pool = try DatabasePool(path: path, configuration: configuration)
      // What a response with the status 201 confirmed must be on the disk even after a power
      // failure. This isn't in the configuration, because the pool sets NORMAL after applying it.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      try pool.read { database in
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        guard id == applicationID || (id == 0 && tables == 0) else {
          throw RepositoryError(
            .damaged,
            "'\(path)' is a database of another program, so it was not changed. Restore the "
              + "repository's backup, or choose another folder.")
        }
      }
      try migrate(pool, path)
      try pool.read { try checkColumns($0, path) }
      let witness = try pool.writeWithoutTransaction { database in
        try RowChecksums.keep(database)
        let witness = try CommitWitness(commits, changes: try RowChecksums.changes(database))
        database.add(transactionObserver: witness, extent: .databaseLifetime)
        return witness
      }
      return (pool, witness)
    } catch {
      throw failure(error, path)
    }
  }

  /// Changes a database of an older version to the tables of this one.
  ///
  /// - Throws: `RepositoryError` if a newer version wrote the database.
  static func migrate(_ database: some DatabaseWriter, _ path: String) throws {
    let isNewer = try database.read { try migrator.hasBeenSuperseded($0) }
    guard !isNewer else {
      throw RepositoryError(
        .damaged,
        "'\(path)' was written by a newer version of this program, or its list of migrations is "
          + "damaged. Use the newer version, or restore the repository's backup.")
    }
    try migrator.migrate(database)
  }

  /// Opens a database for reading only, while a server may have it open, too.
  static func openToRead(_ path: String) throws -> DatabaseQueue {
    guard try FileSystem.size(of: path) != nil else {
      throw RepositoryError(.storage, "'\(path)' is missing, so this isn't a repository's folder.")
    }
    var configuration = configuration
    configuration.readonly = true
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

  /// Returns the error for a database that can't be used.
  static func failure(_ error: any Error, _ path: String) -> RepositoryError {
    switch error {
    case let error as RepositoryError: return error
    case is DatabaseError where FileSystem.isFolder(path):
      return RepositoryError(
        .damaged, "'\(path)' should be a file, but it is a folder. Restore the repository's backup."
      )
    case let error as DatabaseError
    where [
      .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY,
    ].contains(error.resultCode):
      return RepositoryError(storage: "'\(path)' cannot be used", reason(error))
    case let error as DatabaseError:
      return RepositoryError(
        .damaged, "'\(path)' cannot be used: \(reason(error)). Restore the repository's backup.")
    default:
      return RepositoryError(
        .damaged, "'\(path)' cannot be used: \(error). Restore the repository's backup.")
    }
  }

  /// Describes a damaged row or an SQLite error in a sentence.
  static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as DamagedRow: "\(error)"
    case let error as DatabaseError: "The database cannot be read: \(reason(error))."
    case let error as RepositoryError: error.message
    default: "The database cannot be read: \(error)."
    }
  }

  /// Describes an SQLite error in words, without a full stop.
  static func reason(_ error: DatabaseError) -> String {
    switch error.resultCode {
    case .SQLITE_NOTADB: "it isn't an SQLite database"
    case .SQLITE_CORRUPT: "its structure is damaged (\(error.message ?? "corrupt"))"
    case .SQLITE_FULL: "the disk is full"
    case .SQLITE_IOERR: "the disk failed (\(error.message ?? "input or output"))"
    case .SQLITE_READONLY: "it cannot be written"
    case .SQLITE_CANTOPEN: "it cannot be opened"
    case .SQLITE_BUSY, .SQLITE_LOCKED: "another process is using it"
    default: error.message ?? "SQLite failed with the code \(error.resultCode.rawValue)"
    }
  }

  /// Rejects a database that lacks a table or a column that requests need.
  ///
  /// Otherwise, each request would fail. Other differences are reported by `fsck`.
  private static func checkColumns(_ database: Database, _ path: String) throws {
    let expected = try emptyDatabase()
    for table in RepositoryTable.allCases.map(\.rawValue) + ["seals"] {
      let columns = try expected.read { try $0.columns(in: table).map(\.name) }
      guard try database.tableExists(table) else {
        throw RepositoryError(
          .damaged, "'\(path)' has no table '\(table)'. Restore the repository's backup.")
      }
      let present = Set(try database.columns(in: table).map(\.name))
      guard let missing = columns.first(where: { !present.contains($0) }) else { continue }
      throw RepositoryError(
        .damaged,
        "The table '\(table)' of '\(path)' has no column '\(missing)'. Restore the "
          + "repository's backup.")
    }
  }

  /// Returns the differences between the tables and indexes and those that this version creates.
  static func schemaFaults(_ database: Database) throws -> [String] {
    func schema(_ database: Database) throws -> [String: String] {
      let rows = try Row.fetchAll(
        database, sql: "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
      let entries = try rows.map { row in
        let row = CheckedRow(row, of: "sqlite_master", key: ["type", "name"])
        return ("\(try row.text("type")) '\(try row.text("name"))'", try row.text("sql"))
      }
      return Dictionary(entries) { first, _ in first }
    }
    let (expected, present) = (try emptyDatabase().read(schema), try schema(database))
    let missing = expected.keys.filter { present[$0] == nil }.map { "The \($0) is missing." }
    let others = present.compactMap { name, sql in
      guard let wanted = expected[name] else {
        return "The \(name) does not belong to a repository."
      }
      return wanted == sql ? nil : "The \(name) is defined differently than in this version."
    }
    return (missing + others).sorted()
  }

  /// Creates a database in memory with the tables of this version.
  private static func emptyDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue(configuration: configuration)
    try migrator.migrate(database)
    return database
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("repository") { database in
      try database.execute(sql: schema)
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    }
    migrator.registerMigration("audit-values", foreignKeyChecks: .immediate) { database in
      try database.execute(
        sql: """
          ALTER TABLE audit ADD COLUMN value_before TEXT;
          ALTER TABLE audit ADD COLUMN value_after TEXT;
          """)
    }
    // The checks are immediate, so that rows that were damaged before don't make the other rows
    // unreadable.
    migrator.registerMigration("checksums", foreignKeyChecks: .immediate) { database in
      try RowChecksums.makeSeals(database)
      try RowChecksums.migrate(database, RepositoryTable.first)
    }
    migrator.registerMigration("rounds") { try $0.execute(sql: roundsSchema) }
    migrator.registerMigration("round-checksums", foreignKeyChecks: .immediate) { database in
      // The SHA-256 of the average's file, or NULL.
      try database.execute(sql: "ALTER TABLE rounds ADD COLUMN average TEXT")
      try RowChecksums.migrate(database, [.rounds, .roundClients])
    }
    return migrator
  }

  private static let roundsSchema = """
    CREATE TABLE rounds (
      model TEXT NOT NULL REFERENCES models(name), round TEXT NOT NULL, state TEXT NOT NULL,
      created DATETIME NOT NULL, deadline DATETIME NOT NULL, signed BLOB NOT NULL, reason TEXT,
      ended DATETIME, PRIMARY KEY (model, round)) WITHOUT ROWID;
    CREATE TABLE round_clients (
      model TEXT NOT NULL, round TEXT NOT NULL, client TEXT NOT NULL, secret_hash BLOB NOT NULL,
      token TEXT NOT NULL, enrolled DATETIME NOT NULL, digest TEXT, examples INTEGER NOT NULL,
      PRIMARY KEY (model, round, client),
      FOREIGN KEY (model, round) REFERENCES rounds(model, round)) WITHOUT ROWID;
    """

  // `version_blobs` has no foreign key for the digest. A lost blob has no row any more, but the
  // version that needs it still refers to it.
  private static let schema = """
    CREATE TABLE blobs (
      digest TEXT PRIMARY KEY, size INTEGER NOT NULL, used DATETIME NOT NULL) WITHOUT ROWID;
    CREATE TABLE uploads (
      id TEXT PRIMARY KEY, token TEXT, offset INTEGER NOT NULL, used DATETIME NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE models (name TEXT PRIMARY KEY, created DATETIME NOT NULL) WITHOUT ROWID;
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
#endif
