// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
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
        while let row = try rows.next() { try body(BulkRow(row)) }
      }
    } catch let error as TensorIOError {
      throw error
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
    let reason = (error as? DatabaseError).map { $0.message ?? "\($0.resultCode)" } ?? "\(error)"
    return TensorIOError(
      .unreadableFile, "'\(path)' cannot be used as a database of results: \(reason).",
      cause: error)
  }
}

extension BulkRow {
  fileprivate init(_ row: Row) throws {
    var evaluation: EvaluationRecord?
    let failed: Bool = row["error"]
    if !failed {
      let results: String? = row["inference_results"]
      evaluation = EvaluationRecord(
        decodeLatency: row["decode_latency"] ?? 0,
        preprocessorLatency: row["preprocessor_latency"] ?? 0,
        inferenceLatency: row["inference_latency"] ?? 0,
        postprocessLatency: row["postprocess_latency"] ?? 0,
        inferenceResults: try JSONDecoder().decode(
          [String: JSONValue].self, from: Data((results ?? "{}").utf8)))
    }
    self.init(
      ResultRow(
        index: row["picture_index"], type: row["type"], image: row["image"], model: row["model"],
        testBundle: row["test_bundle"], error: failed, errorDescription: row["error_description"],
        evaluation: evaluation, predicted: row["predicted"], score: row["score"]),
      run: row["run"])
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
