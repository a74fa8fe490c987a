// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import StoredRows
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Stores rows in the table `results` of an SQLite database.
public final class SQLiteLog: BulkLog {
  private let database: SQLiteFile
  private let lock: LogLock
  package let path: String

  /// Opens a database, or creates it if it is missing.
  ///
  /// - Throws: `TensorIOError` if the file isn't a database, or can't be written.
  public convenience init(_ path: String) throws { try self.init(path, replacing: false) }

  /// Opens a database, and removes an existing one if it is replaced and no other run writes to it.
  package init(_ path: String, replacing: Bool) throws {
    self.path = path
    lock = try LogLock(for: path)
    if replacing { for end in ["", "-wal", "-shm"] { try FileSystem.remove(path + end) } }
    do {
      database = try SQLiteFile(path, busySeconds: 10, isDurable: false, schema: Self.schema)
    } catch is SQLiteSchema.Mismatch {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' is a database of another program, so it was left unchanged. Name another file.")
    } catch let error as SQLiteError {
      throw Self.failure(path, error)
    }
  }

  /// The schema, whose application ID "TIOB" distinguishes these files from other SQLite databases.
  private static let schema = SQLiteSchema(
    applicationID: 0x5449_4F42,
    steps: [
      (
        "results",
        """
        CREATE TABLE results (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          run TEXT NOT NULL,
          model TEXT NOT NULL,
          picture_index INTEGER NOT NULL,
          image TEXT NOT NULL,
          type TEXT NOT NULL,
          test_bundle TEXT NOT NULL,
          error BOOLEAN NOT NULL,
          error_description TEXT,
          predicted TEXT,
          score DOUBLE,
          decode_latency DOUBLE,
          preprocessor_latency DOUBLE,
          inference_latency DOUBLE,
          postprocess_latency DOUBLE,
          inference_results TEXT,
          UNIQUE (model, image)
        )
        """
      ),
      (
        "part",
        """
        CREATE TABLE part (
          manifest TEXT NOT NULL,
          items INTEGER NOT NULL,
          part INTEGER NOT NULL,
          parts INTEGER NOT NULL
        )
        """
      ),
      (
        "archives",
        """
        ALTER TABLE results ADD COLUMN member INTEGER;
        ALTER TABLE results ADD COLUMN members INTEGER;
        ALTER TABLE part ADD COLUMN rows INTEGER
        """
      ),
    ])

  public func forEachRow(_ body: (BulkRow) throws -> Void) throws {
    try explaining {
      try database.read { database in
        try database.forEachRow("SELECT * FROM results ORDER BY id") { row in
          try body(BulkRow(CheckedRow(row, of: "results", key: ["id", "image"])))
        }
      }
    }
  }

  public func append(_ rows: [BulkRow]) throws {
    try explaining {
      try database.write { database in
        for row in rows { try database.execute(Self.insertion, row.arguments()) }
      }
    }
  }

  public func removeFailures(of models: Set<String>) throws {
    try explaining {
      try database.write { database in
        for model in models {
          try database.execute(Self.removal, [model, model])
        }
      }
    }
  }

  public func flush() throws {
    // A checkpoint puts all rows into the one file that the user named.
    try explaining { try database.checkpoint() }
  }

  private static let insertion = """
    INSERT INTO results (run, model, picture_index, image, type, test_bundle, error,
      error_description, predicted, score, decode_latency, preprocessor_latency,
      inference_latency, postprocess_latency, inference_results, member, members)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let removal = """
    DELETE FROM results WHERE model = ? AND (error OR members IS NOT NULL AND picture_index IN (
      SELECT picture_index FROM results WHERE model = ? AND error))
    """

  private func explaining<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as TensorIOError {
      throw error
    } catch let error as DamagedRow {
      throw TensorIOError(
        .unreadableFile,
        "The results in '\(path)' are damaged, so they were left unchanged. \(error) Remove the "
          + "row, or name another file for the results.", cause: error)
    } catch {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: any Error) -> TensorIOError {
    let reason =
      switch (error as? SQLiteError)?.code {
      case .notADatabase: "it isn't an SQLite database"
      case .corrupt: "its structure is damaged"
      case .full: "the disk is full"
      default: (error as? SQLiteError)?.message ?? "\(error)"
      }
    return TensorIOError(
      .unreadableFile, "'\(path)' cannot be used as a database of results: \(reason).",
      cause: error)
  }
}

extension SQLiteLog: PartLog {
  package func storedPart() throws -> BulkPart? {
    try explaining {
      try database.read { database in
        try database.rows("SELECT * FROM part").first.map { row in
          let row = CheckedRow(row, of: "part", key: ["manifest", "part"])
          return BulkPart(
            manifest: try row.text("manifest"), items: try row.integer("items"),
            index: try row.integer("part"), count: try row.integer("parts"),
            rows: try row.optionalInteger("rows"))
        }
      }
    }
  }

  package func store(_ part: BulkPart) throws {
    try explaining {
      try database.write {
        try $0.execute(
          "INSERT INTO part (manifest, items, part, parts, rows) VALUES (?, ?, ?, ?, ?)",
          [part.manifest, part.items, part.index, part.count, part.rows])
      }
    }
  }

  package func forEachStoredRow(_ body: (BulkRow, String) throws -> Void) throws {
    try forEachRow { try body($0, $0.line()) }
  }

  package var isEmpty: Bool {
    get throws {
      try explaining {
        try database.read { try $0.rows("SELECT id FROM results LIMIT 1").isEmpty }
      }
    }
  }
}

extension BulkRow {
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
      result: ResultRow(
        index: try row.integer("picture_index"), type: try row.text("type"),
        image: try row.text("image"), model: try row.text("model"),
        testBundle: try row.text("test_bundle"), error: failed,
        errorDescription: try row.optionalText("error_description"), evaluation: evaluation,
        predicted: try row.optionalText("predicted"),
        score: try row.optionalNumber("score", isFinite: false)),
      run: try row.text("run"),
      place: ArchivePlace(
        member: try row.optionalInteger("member"), members: try row.optionalInteger("members")))
  }

  private static func results(_ row: CheckedRow) throws -> [String: JSONValue] {
    let text = try row.optionalText("inference_results") ?? "{}"
    do {
      return try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    } catch is DecodingError {
      throw row.mismatch("inference_results", "a JSON object of outputs")
    }
  }

  fileprivate func arguments() throws -> [(any StoredValueConvertible)?] {
    let evaluation = result.evaluation
    let results = try evaluation.map { try StableJSON($0.inferenceResults).text }
    return [
      run, result.model, result.index, result.image, result.type, result.testBundle, result.error,
      result.errorDescription, result.predicted, result.score, evaluation?.decodeLatency,
      evaluation?.preprocessorLatency, evaluation?.inferenceLatency,
      evaluation?.postprocessLatency, results, place?.index, place?.rows,
    ]
  }
}
