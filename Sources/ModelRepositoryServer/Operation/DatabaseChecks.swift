// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRDB
import ModelRepositoryAPI
import StoredRows

/// Checks every page and every row of a database.
///
/// If one check fails, the others still run, because damage in one part says nothing about another.
struct DatabaseChecks: Sendable {
  /// A version as its rows describe it.
  struct Version: Sendable {
    var model: RepositoryName
    var record: VersionRecord
    var blobs: [BlobDigest: Int]
  }

  /// The report, of which only the findings in the database are set.
  var report = IntegrityReport()
  /// The readable rows whose checksums don't match, as sentences.
  private var changed: [String] = []
  /// The blobs whose rows are intact.
  private(set) var blobs: [BlobReference] = []
  /// The versions whose rows are intact; they are compared with their manifests later.
  private(set) var versions: [Version] = []
  /// The rounds whose rows are intact; their averages are checked later.
  private(set) var rounds: [RoundStore.Round] = []

  /// Runs all checks; the former keys signed channel documents before.
  init(_ database: Database, _ keys: [VerificationKey], formerKeys: [VerificationKey]) {
    note {
      let faults = try String.fetchAll(database, sql: "PRAGMA integrity_check")
      return faults.filter { $0 != "ok" }.map { "SQLite reports that the file is damaged: \($0)." }
    }
    note { try RepositoryDatabase.schemaFaults(database) }
    note {
      try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
        let row = CheckedRow(row, of: "foreign_key_check", key: ["table"])
        return
          "A row of the table '\(try row.text("table"))' refers to a missing row of the table "
          + "'\(try row.text("parent"))'."
      }
    }
    // A row with a wrong checksum may have a wrong size, which says nothing about the blob itself.
    // Such rows are left out.
    blobs = sound(.blobs, "ORDER BY digest", [], database, areWhole: true) { row in
      _ = try row.time("used")
      return try row.blob()
    }
    _ = sound(.uploads, "ORDER BY id", [], database) { row in
      _ = try (row.time("used"), row.optionalText("token"))
      return try UploadState(row)
    }
    _ = sound(.tokens, "ORDER BY rowid", [], database) { row in
      let token = try TokenRecord(row)
      guard token.id.utf8.count == 16, token.id.allSatisfy(\.isHexDigit) else {
        throw row.mismatch("id", "16 hexadecimal digits")
      }
      return token
    }
    _ = sound(.audit, "ORDER BY id", [], database) { try Repository.auditRecord($0) }
    let models = sound(.models, "ORDER BY name", [], database) { row in
      _ = try row.time("created")
      return try row.name("name")
    }
    for model in models { checkVersions(of: model, database) }
    for model in models { checkChannels(of: model, database, keys, formerKeys) }
    checkRest(models, database)
    checkRounds(database)
    for table in RepositoryTable.allCases {
      note { try RowChecksums.faults(of: table, database) }
    }
    note { try Self.lostRecords(database) }
    Self.add(changed, to: &report.rows)
  }

  // MARK: - Tables

  private mutating func checkVersions(of model: RepositoryName, _ database: Database) {
    let before = report.rows.count
    let records = sound(.versions, "WHERE model = ? ORDER BY sequence", [model.text], database) {
      try Repository.record($0)
    }
    let isWhole = report.rows.count == before
    if isWhole, records.map(\.sequence) != Array(1..<(records.count + 1)) || records.isEmpty {
      report.rows.append(
        "The versions of the model '\(model)' should be numbered from 1 without a gap, but their "
          + "numbers are \(records.map(\.sequence)): rows are missing or were changed.")
    }
    for record in records {
      let before = report.rows.count
      let blobs = sound(
        .versionBlobs, "WHERE model = ? AND version = ?", [model.text, record.version.text],
        database
      ) { try $0.blob() }
      guard report.rows.count == before else { continue }
      let sizes = Dictionary(blobs.map { ($0.digest, $0.size) }) { first, _ in first }
      versions.append(Version(model: model, record: record, blobs: sizes))
    }
  }

  private mutating func checkChannels(
    of model: RepositoryName, _ database: Database, _ keys: [VerificationKey],
    _ formerKeys: [VerificationKey]
  ) {
    var last: [RepositoryName: ChannelState] = [:]
    let before = report.rows.count
    _ = sound(
      .channelDocuments, "WHERE model = ? ORDER BY channel, document_version", [model.text],
      database
    ) { row in
      let state = try Repository.state(row)
      let document = state.document
      let number = last[document.channel]?.document.documentVersion ?? 0
      last[document.channel] = state
      guard document.documentVersion == number + 1 else {
        throw row.damaged(
          "the document before it should be \(document.documentVersion - 1), not \(number)")
      }
      guard state.restores ?? 0 < document.documentVersion else {
        throw row.mismatch("restores", "the number of an earlier document")
      }
    }
    guard report.rows.count == before else { return }
    for state in last.values.sorted(by: { $0.document.channel.text < $1.document.channel.text }) {
      let name = "\(model)/\(state.document.channel)"
      if !Repository.isSigned(state, by: keys + formerKeys) {
        report.untrusted.append(name)
      } else if !Repository.isSigned(state, by: keys) {
        report.outdated.append(name)
      }
      note { try Self.unknownVersions(state, model, database) }
    }
  }

  /// Checks the rows of federated rounds and of their clients.
  private mutating func checkRounds(_ database: Database) {
    rounds = sound(.rounds, "ORDER BY model, round", [], database, areWhole: true) { row in
      let round = try RoundStore.Round(row)
      guard round.task.model == (try row.name("model")),
        round.task.round == (try row.name("round")),
        round.task.deadline == (try row.time("deadline"))
      else { throw row.damaged("'signed' doesn't match the other columns") }
      _ = try row.time("created")
      return round
    }
    _ = sound(.roundClients, "ORDER BY model, round, client", [], database) { row in
      _ = try (row.name("model"), row.name("round"), row.time("enrolled"))
      return try RoundStore.Client(row)
    }
  }

  /// Checks the rows that the other checks don't reach because the name in them is damaged.
  private mutating func checkRest(_ models: [RepositoryName], _ database: Database) {
    for table in [RepositoryTable.versions, .versionBlobs, .channelDocuments] {
      _ = sound(table, "", [], database) { row in
        let model = try row.name("model")
        if table != .channelDocuments { _ = try row.name("version") }
        guard models.contains(model) else {
          throw row.mismatch("model", "a model of the repository")
        }
      }
    }
  }

  /// Checks that the audit log has no gaps and ends with the last number that SQLite assigned.
  private static func lostRecords(_ database: Database) throws -> [String] {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT IFNULL((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) AS given,
          IFNULL((SELECT MAX(id) FROM audit), 0) AS present, (SELECT COUNT(*) FROM audit) AS count
        """)
    guard let row = row.map({ CheckedRow($0, of: "sqlite_sequence", key: []) }) else { return [] }
    let numbers = try (
      given: row.integer("given", in: 0...Int.max),
      present: row.integer("present", in: 0...Int.max),
      count: row.integer("count")
    )
    return numbers.given == numbers.present && numbers.present == numbers.count
      ? []
      : [
        "The audit log's records should be numbered from 1 to \(numbers.given) without a gap, but "
          + "there are \(numbers.count), and the last number is \(numbers.present)."
      ]
  }

  /// Checks that a channel's newest document describes its versions as their rows do.
  private static func unknownVersions(
    _ state: ChannelState, _ model: RepositoryName, _ database: Database
  ) throws -> [String] {
    try state.document.releases.compactMap { release in
      let record = try Repository.version(release.version, of: model, database)
      guard record?.release != release else { return nil }
      return
        "The document of the channel '\(model)/\(state.document.channel)' describes the version "
        + "'\(release.version)' differently from the table 'versions'."
    }
  }

  // MARK: - Reading

  /// Returns the values of a table's intact rows, and records the damaged ones.
  private mutating func sound<Value>(
    _ table: RepositoryTable, _ condition: String, _ arguments: StatementArguments,
    _ database: Database, areWhole: Bool = false, _ read: (CheckedRow) throws -> Value
  ) -> [Value] {
    var values: [Value] = []
    do {
      let rows = try Row.fetchCursor(
        database, sql: "\(table.rows) \(condition)", arguments: arguments)
      while let row = try rows.next() {
        do {
          let value = try read(CheckedRow(row, of: table))
          if areWhole { try CheckedRow.checkWhole(row, of: table) }
          values.append(value)
        } catch let error as DamagedRow {
          Self.add(["\(error)"], to: &report.rows)
          continue
        }
        // The value is kept, because other checks may find out more about such a row.
        do {
          try CheckedRow.checkWhole(row, of: table)
        } catch let error as DamagedRow {
          changed.append("\(error)")
        }
      }
    } catch {
      Self.add([RepositoryDatabase.sentence(error)], to: &report.database)
    }
    return values
  }

  /// Runs a check, and records its findings or the error that stopped it.
  private mutating func note(_ check: () throws -> [String]) {
    do {
      Self.add(try check(), to: &report.database)
    } catch {
      Self.add([RepositoryDatabase.sentence(error)], to: &report.database)
    }
  }

  private static func add(_ found: [String], to faults: inout [String]) {
    for fault in found where !faults.contains(fault) { faults.append(fault) }
  }
}
#endif
