// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import FederatedRounds
import Foundation
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import StoredRows
import Synchronization
import WebServing

/// The federated rounds of a repository.
///
/// A round's row has its signed task and its state. A client's row says which update was accepted,
/// and the update is a file. The file is complete and flushed before the row names it, so a process
/// that is killed at any time loses nothing that it confirmed.
final class RoundStore: Sendable {
  let repository: Repository
  /// Locks for clients, each of which may send only one update.
  let sending = AsyncLocks<[String]>()
  /// Locks for rounds that end, so that each is averaged once.
  let ending = AsyncLocks<[RepositoryName]>()
  /// The rounds that are being averaged.
  let underWay = Mutex<Set<[RepositoryName]>>([])
  /// A lock that lets only one average be in memory at a time.
  let averaging = AsyncLock()
  /// A lock that lets only one update be in memory at a time.
  let checking = AsyncLock()
  private let refused = Mutex<[[RepositoryName]: [String: Int]]>([:])

  init(_ repository: Repository) { self.repository = repository }

  /// A round as its row describes it.
  struct Round: Sendable {
    let task: RoundTask
    let signed: Data
    let state: RoundStatus.State
    let reason: String?
    let ended: Date?
    /// The SHA-256 of the average; nil if there is none, or if an older version stored it.
    let average: BlobDigest?

    init(_ row: CheckedRow) throws {
      signed = try row.bytes("signed")
      guard let document = try? RepositoryJSON.decode(SignedDocument.self, from: signed),
        let task = try? RepositoryJSON.decode(RoundTask.self, from: document.document),
        (try? task.validate(isStored: true)) != nil
      else { throw row.mismatch("signed", "a signed task") }
      guard let state = RoundStatus.State(rawValue: try row.text("state")) else {
        throw row.mismatch("state", "the state of a round")
      }
      self.task = task
      self.state = state
      reason = try row.optionalText("reason")
      ended = try row.optionalTime("ended")
      average = try row.optionalText("average").map { _ in try row.digest("average") }
    }
  }

  /// A client as its row describes it.
  struct Client: Sendable {
    let id: String
    let secretHash: Data
    let token: String
    /// The SHA-256 of the update; nil until it was accepted.
    let digest: String?
    let examples: Int

    init(_ row: CheckedRow) throws {
      id = try row.text("client")
      secretHash = try row.bytes("secret_hash")
      token = try row.text("token")
      digest = try row.optionalText("digest")
      examples = try row.integer("examples")
    }
  }

  // MARK: - Rows

  static func round(
    _ round: RepositoryName, of model: RepositoryName, _ database: Database
  ) throws -> Round {
    let found = try database.first(
      .rounds, "WHERE model = ? AND round = ?", [model.text, round.text], Round.init)
    guard let found else { throw noRound(round, model) }
    return found
  }

  static func noRound(_ round: RepositoryName, _ model: RepositoryName) -> Problem {
    Problem(.notFound, "round_not_found", "'\(model)' has no round '\(round)'.")
  }

  static func clients(of task: RoundTask, _ database: Database) throws -> [Client] {
    try database.all(
      .roundClients, "WHERE model = ? AND round = ? ORDER BY client",
      [task.model.text, task.round.text], Client.init)
  }

  /// Returns the rounds in some states, without those whose rows are damaged.
  ///
  /// A damaged row is reported when its round is asked for. The database may be one of an older
  /// version, which lacks the digests of averages or has no rounds at all.
  static func rounds(_ states: [RoundStatus.State], _ database: Database) throws -> [Round] {
    let table = RepositoryTable.rounds.rawValue
    guard try database.tableExists(table) else { return [] }
    let hasDigests = try database.columns(in: table).contains { $0.name == "average" }
    let marks = states.map { _ in "?" }.joined(separator: ", ")
    return try Row.fetchAll(
      database,
      sql:
        "SELECT *\(hasDigests ? "" : ", NULL AS average") FROM \(table) WHERE state IN (\(marks))",
      arguments: StatementArguments(states.map(\.rawValue))
    ).compactMap { try? Round(CheckedRow($0, of: .rounds)) }
  }

  func round(_ round: RepositoryName, of model: RepositoryName) async throws -> Round {
    try await repository.database.read { try Self.round(round, of: model, $0) }
  }

  // MARK: - Files

  func folder(of task: RoundTask) -> String { repository.folder.round(of: task) }

  func file(of client: String, in task: RoundTask) -> String {
    "\(folder(of: task))/\(client)\(Self.updateExtension)"
  }

  static let updateExtension = ".update"

  func averageFile(of task: RoundTask) -> String { repository.folder.average(of: task) }

  /// The folder of updates that are being received.
  var incoming: String { repository.folder.rounds + "/.incoming" }

  /// Deletes what an earlier process was receiving when it was killed, and the updates of rounds
  /// that have ended.
  func dropLeftovers() throws {
    for name in try FileSystem.names(in: incoming) { try FileSystem.remove(incoming + "/" + name) }
    try dropEndedUpdates()
  }

  /// Deletes the updates of rounds that have ended, which an earlier attempt may have left.
  ///
  /// - Throws: The first error, after all rounds were tried.
  func dropEndedUpdates() throws {
    let ended = try repository.database.read { try Self.rounds([.finished, .failed], $0) }
    let failures = ended.compactMap { round -> (any Error)? in
      do {
        try dropUpdates(of: round.task)
        return nil
      } catch {
        return error
      }
    }
    if let failure = failures.first { throw failure }
  }

  // MARK: - Rounds

  /// Creates a round and signs its task.
  func make(_ request: RoundRequest, of model: RepositoryName, by token: String) async throws
    -> Round
  {
    repository.reloadChangedKeys()
    try repository.requireKeys()
    let repository = repository
    return try await repository.database.write { database in
      guard let base = try Repository.version(request.base, of: model, database) else {
        throw Problem(
          .unprocessableContent, "unknown_version",
          "'\(model)' has no version '\(request.base)'. Publish it first.")
      }
      guard !base.isWithdrawn else {
        throw Problem(
          .conflict, "version_withdrawn", "Version '\(request.base)' of '\(model)' was withdrawn.")
      }
      guard (1...Int(DocumentTimes.maximumLifetime)).contains(request.seconds) else {
        throw Problem(
          .unprocessableContent, "invalid_round",
          "The deadline must be in 1 to \(Int(DocumentTimes.maximumLifetime)) seconds, got "
            + "\(request.seconds).")
      }
      let signing = repository.signing
      let task = RoundTask(
        model: model, round: request.round, base: base.release, issued: repository.wholeNow,
        deadline: repository.wholeNow + Double(request.seconds), plan: request.plan,
        weights: request.weights, root: signing.root?.version)
      do {
        try task.validate()
      } catch let error as RepositoryError {
        throw Problem(.unprocessableContent, "invalid_round", error.message)
      }
      let signed = try RepositoryJSON.encode(try SignedDocument(task, by: signing.keys))
      guard signed.count <= RoundTask.maximumBytes else {
        throw Problem(
          .unprocessableContent, "invalid_round",
          "The signed task would have \(signed.count) bytes, but at most \(RoundTask.maximumBytes) "
            + "are allowed. Name fewer weights.")
      }
      try database.execute(
        sql: """
          INSERT INTO rounds (model, round, state, created, deadline, signed)
          VALUES (?, ?, 'open', ?, ?, ?) ON CONFLICT DO NOTHING
          """,
        arguments: [model.text, request.round.text, task.issued, task.deadline, signed])
      guard database.changesCount == 1 else {
        throw Problem(
          .conflict, "round_exists",
          "'\(model)' already has a round '\(request.round)'. Choose another name.")
      }
      try repository.audit(
        database, token, "round.make", "\(model)/\(request.round)", "from \(base.version)")
      return try Self.round(request.round, of: model, database)
    }
  }

  func rounds(of model: RepositoryName) async throws -> RoundList {
    try await repository.database.read { database in
      try Repository.checkModel(model, database)
      let rounds = try database.all(
        .rounds, "WHERE model = ? ORDER BY created DESC, round LIMIT 1000", [model.text],
        Round.init)
      return RoundList(
        rounds: rounds.map {
          RoundList.Round(round: $0.task.round, state: $0.state, deadline: $0.task.deadline)
        })
    }
  }

  func status(of name: RepositoryName, of model: RepositoryName) async throws -> RoundStatus {
    try await endIfDue(name, of: model, waits: false)
    let (round, clients) = try await repository.database.read { database in
      let round = try Self.round(name, of: model, database)
      return (round, try Self.clients(of: round.task, database))
    }
    let task = round.task
    var status = RoundStatus(
      model: model, round: name, state: round.state, base: task.base.version, issued: task.issued,
      deadline: task.deadline)
    let sent = clients.filter { $0.digest != nil }
    status.enrolled = clients.count
    status.updates = sent.count
    status.examples = sent.reduce(0) { $0 + $1.examples }
    status.refused = refused.withLock { $0[[model, name]] ?? [:] }
    status.reason = round.reason
    status.ended = round.ended
    let epsilon = PrivacyAccountant.epsilon(
      noiseMultiplier: task.plan.noiseMultiplier, delta: task.plan.delta)
    // Without noise, ε is infinite, which JSON can't express. The noise of a round that an older
    // version stored can also be too small.
    if round.state == .finished, epsilon.isFinite {
      status.privacy = RoundStatus.Privacy(epsilon: epsilon, delta: task.plan.delta)
    }
    return status
  }

  /// Counts a refused update of a round that exists.
  func noteRefusal(_ code: String, _ round: RepositoryName, of model: RepositoryName) {
    refused.withLock { $0[[model, round], default: [:]][code, default: 0] += 1 }
  }

  /// Forgets the refused updates of a round that was deleted.
  func forgetRefusals(_ round: RepositoryName, of model: RepositoryName) {
    refused.withLock { $0[[model, round]] = nil }
  }
}
#endif
