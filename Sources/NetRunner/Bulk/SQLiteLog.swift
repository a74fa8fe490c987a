// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import StoredRows
import TensorIO

/// Rows in the table `results` of an SQLite database.
public final class SQLiteLog: BulkLog {
  private let database: DatabaseQueue
  private let lock: LogLock
  private let path: String

  /// Opens a database, or makes it.
  ///
  /// - Throws: `TensorIOError` when the file is no database, or cannot be written.
  public init(_ path: String) throws {
    self.path = path
    lock = try LogLock(for: path)
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.journalMode = .wal
    do {
      database = try DatabaseQueue(path: path, configuration: configuration)
      try database.read { try Self.check($0, path) }
      try Self.migrator.migrate(database)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw Self.failure(path, error)
    }
  }

  /// "TIOB": tells the files from other programs' SQLite databases.
  private static let applicationID = 0x5449_4F42

  /// Throws for a database of another program: nothing is written into it.
  private static func check(_ database: Database, _ path: String) throws {
    let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
    guard id == applicationID || (id == 0 && tables == 0) else {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' is a database of another program, and stays as it is. Name another file.")
    }
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("results") { database in
      try database.create(table: "results") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("run", .text).notNull()
        table.column("model", .text).notNull()
        table.column("picture_index", .integer).notNull()
        table.column("image", .text).notNull()
        table.column("type", .text).notNull()
        table.column("test_bundle", .text).notNull()
        table.column("error", .boolean).notNull()
        table.column("error_description", .text)
        table.column("predicted", .text)
        table.column("score", .double)
        table.column("decode_latency", .double)
        table.column("preprocessor_latency", .double)
        table.column("inference_latency", .double)
        table.column("postprocess_latency", .double)
        table.column("inference_results", .text)
        table.uniqueKey(["model", "image"])
      }
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    }
    return migrator
  }

  public func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    do {
      try database.read { database in
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM results ORDER BY id")
        while let row = try rows.next() {
          try body(BulkRow(CheckedRow(row, of: "results", key: ["id", "image"])))
        }
      }
    } catch let error as TensorIOError {
      throw error
    } catch let error as DamagedRow {
      throw TensorIOError(
        .unreadableFile,
        "The results '\(path)' are damaged, and stay as they are. \(error) Remove the row, or name "
          + "another file for the results.", cause: error)
    } catch {
      throw Self.failure(path, error)
    }
  }

  public func append(_ rows: [BulkRow]) throws {
    do {
      try database.write { database in
        let statement = try database.cachedStatement(sql: Self.insertion)
        for row in rows { try statement.execute(arguments: row.arguments()) }
      }
    } catch {
      throw Self.failure(path, error)
    }
  }

  public func removeFailures(of models: Set<String>) throws {
    do {
      try database.write { database in
        for model in models {
          try database.execute(
            sql: "DELETE FROM results WHERE error AND model = ?", arguments: [model])
        }
      }
    } catch {
      throw Self.failure(path, error)
    }
  }

  public func flush() throws {
    do {
      // The whole result is then in the one file that the person named.
      try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    } catch {
      throw Self.failure(path, error)
    }
  }

  private static let insertion = """
    INSERT INTO results (run, model, picture_index, image, type, test_bundle, error,
      error_description, predicted, score, decode_latency, preprocessor_latency,
      inference_latency, postprocess_latency, inference_results)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static func failure(_ path: String, _ error: any Error) -> TensorIOError {
    let reason =
      switch (error as? DatabaseError)?.resultCode {
      case .SQLITE_NOTADB: "it isn't an SQLite database"
      case .SQLITE_CORRUPT: "its structure is damaged"
      case .SQLITE_FULL: "the disk is full"
      default: (error as? DatabaseError)?.message ?? "\(error)"
      }
    return TensorIOError(
      .unreadableFile, "'\(path)' cannot be used as a database of results: \(reason).",
      cause: error)
  }
}

extension BulkRow {
  /// Reads a row of a file that may be damaged.
  ///
  /// - Throws: `DamagedRow`.
  fileprivate init(_ row: CheckedRow) throws {
    var evaluation: EvaluationRecord?
    let failed = try row.flag("error")
    if !failed {
      evaluation = EvaluationRecord(
        decodeLatency: try row.optionalNumber("decode_latency") ?? 0,
        preprocessorLatency: try row.optionalNumber("preprocessor_latency") ?? 0,
        inferenceLatency: try row.optionalNumber("inference_latency") ?? 0,
        postprocessLatency: try row.optionalNumber("postprocess_latency") ?? 0,
        inferenceResults: try Self.results(row))
    }
    self.init(
      ResultRow(
        index: try row.integer("picture_index"), type: try row.text("type"),
        image: try row.text("image"), model: try row.text("model"),
        testBundle: try row.text("test_bundle"), error: failed,
        errorDescription: try row.optionalText("error_description"), evaluation: evaluation,
        predicted: try row.optionalText("predicted"),
        score: try row.optionalNumber("score", isFinite: false)),
      run: try row.text("run"))
  }

  private static func results(_ row: CheckedRow) throws -> [String: JSONValue] {
    let text = try row.optionalText("inference_results") ?? "{}"
    do {
      return try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    } catch is DecodingError {
      throw row.mismatch("inference_results", "a JSON object of outputs")
    }
  }

  fileprivate func arguments() throws -> StatementArguments {
    let evaluation = result.evaluation
    let results = try evaluation.map { try StableJSON($0.inferenceResults).text }
    return [
      run, result.model, result.index, result.image, result.type, result.testBundle, result.error,
      result.errorDescription, result.predicted, result.score, evaluation?.decodeLatency,
      evaluation?.preprocessorLatency, evaluation?.inferenceLatency,
      evaluation?.postprocessLatency, results,
    ]
  }
}
