// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import FederatedRounds
import Foundation
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import NIOPosix
import StoredRows
import Synchronization
import TensorIO
import WebServing

extension RoundStore {
  /// Ends a round at its deadline, or when all of its clients have sent their updates.
  ///
  /// - Parameters:
  ///   - name: The round.
  ///   - model: Its model.
  ///   - isForced: Whether to end it now.
  ///   - token: The token that asks for it.
  ///   - waits: Whether to wait for other averages, which can take minutes. Otherwise, nothing
  ///     happens while one is computed, or after one failed, and ``run(_:)`` ends the round later.
  /// - Throws: ``Problem`` if the round is unknown, or the error of the disk or the database.
  func endIfDue(
    _ name: RepositoryName, of model: RepositoryName, isForced: Bool = false,
    by token: String? = nil, waits: Bool = true
  ) async throws {
    // Most requests find a round that isn't due, so they only read.
    let now = repository.now
    let (isDue, hasBegun) = try await repository.database.read { database in
      let round = try Self.round(name, of: model, database)
      return (
        try Self.isDue(round, at: now, isForced: isForced, database), round.state == .averaging
      )
    }
    guard isDue else { return }
    guard waits || !hasBegun && underWay.withLock({ $0.isEmpty }) else { return }
    try await ending.withLock([model, name]) {
      guard let due = try await begin(name, of: model, isForced: isForced, by: token) else {
        return
      }
      underWay.withLock { _ = $0.insert([model, name]) }
      // The work goes on if the client that asked for it leaves.
      try await Task {
        defer { underWay.withLock { _ = $0.remove([model, name]) } }
        try await averaging.withLock { try await end(due) }
      }.value
    }
  }

  /// A round that ends.
  private struct DueRound: Sendable {
    let task: RoundTask
    /// The clients whose updates were accepted.
    let clients: [Client]
    /// The number of clients whose rows are damaged.
    let damaged: Int
  }

  private static func isDue(
    _ round: Round, at now: Date, isForced: Bool, _ database: Database
  ) throws -> Bool {
    guard round.state == .open else { return round.state == .averaging }
    if isForced || now >= round.task.deadline { return true }
    let counts = try Row.fetchOne(
      database,
      sql: """
        SELECT COUNT(*) AS enrolled, COUNT(digest) AS sent FROM round_clients
        WHERE model = ? AND round = ?
        """, arguments: [round.task.model.text, round.task.round.text])
    guard let row = counts.map({ CheckedRow($0, of: .roundClients) }) else { return false }
    let sent = try row.integer("sent")
    return try sent == row.integer("enrolled") && sent >= round.task.plan.minimumClients
  }

  /// Notes that a round is being averaged, if it is due; returns nil otherwise.
  private func begin(
    _ name: RepositoryName, of model: RepositoryName, isForced: Bool, by token: String?
  ) async throws -> DueRound? {
    let (repository, now) = (repository, repository.now)
    return try await repository.database.write { database in
      let round = try Self.round(name, of: model, database)
      guard try Self.isDue(round, at: now, isForced: isForced, database) else { return nil }
      var faults: [String] = []
      let clients = try database.sound(
        .roundClients,
        "\(RepositoryTable.roundClients.rows) WHERE model = ? AND round = ? ORDER BY client",
        [model.text, name.text], faults: &faults, Client.init)
      let sent = clients.filter { $0.digest != nil }
      if round.state == .open {
        try database.execute(
          sql: "UPDATE rounds SET state = 'averaging' WHERE model = ? AND round = ?",
          arguments: [model.text, name.text])
        try repository.audit(
          database, token, "round.end", "\(model)/\(name)",
          "\(sent.count) of \(clients.count + faults.count) clients")
      }
      return DueRound(task: round.task, clients: sent, damaged: faults.count)
    }
  }

  /// The sum of a round's updates, which is changed in place, because it can have gigabytes.
  private final class Sum: Sendable {
    let average: Mutex<RoundAverage>

    init(of task: RoundTask) { average = Mutex(RoundAverage(of: task)) }
  }

  private func end(_ due: DueRound) async throws {
    let task = due.task
    let sum = Sum(of: task)
    // The average can need gigabytes, so a round with too few updates fails without it.
    let mayPass = due.clients.count >= task.plan.minimumClients
    var (updates, damaged) = (0, due.damaged)
    for client in due.clients {
      let file = file(of: client.id, in: task)
      // Updates of other rounds are checked in between.
      let isIntact = try await checking.withLock {
        try await NIOThreadPool.singleton.runIfActive {
          guard Self.isIntact(file, of: client) else { return false }
          guard mayPass else { return true }
          guard let update = try? Self.read(file, from: client.id, of: task) else { return false }
          sum.average.withLock { $0.add(update) }
          return true
        }
      }
      if isIntact { updates += 1 } else { damaged += 1 }
    }
    let isEnough = updates >= task.plan.minimumClients
    let path = averageFile(of: task)
    let digest = try await NIOThreadPool.singleton.runIfActive { () -> BlobDigest? in
      guard isEnough else { return nil }
      var generator = SystemRandomNumberGenerator()
      let result = sum.average.withLock { $0.result(noise: &generator) }
      guard result.tensors.allSatisfy({ $0.floats.allSatisfy(\.isFinite) }) else { return nil }
      let bytes = try result.serialized()
      try FileSystem.write(bytes, to: path)
      return BlobDigest(of: bytes)
    }
    let lost = damaged == 0 ? "" : " \(damaged) stored updates were damaged."
    let reason: String?
    if !isEnough {
      reason =
        "\(updates) clients sent an update, but at least \(task.plan.minimumClients) are needed."
        + lost
    } else if digest == nil {
      reason = "The average of the updates isn't finite."
    } else {
      reason = nil
    }
    let now = repository.now
    try await repository.database.write { database in
      try database.execute(
        sql: """
          UPDATE rounds SET state = ?, reason = ?, ended = ?, average = ?
          WHERE model = ? AND round = ?
          """,
        arguments: [
          (digest == nil ? RoundStatus.State.failed : .finished).rawValue,
          reason, now, digest?.hexadecimal, task.model.text, task.round.text,
        ])
    }
    // Single updates say more about a client than the average, so they aren't kept.
    try dropUpdates(of: task)
  }

  /// Returns whether a stored update has the bytes that were accepted.
  private static func isIntact(_ file: String, of client: Client) -> Bool {
    guard let hash = try? UploadFile.hash(of: file, count: FileSystem.size(of: file) ?? 0) else {
      return false
    }
    return BlobDigest(hash.finalize()).hexadecimal == client.digest
  }

  /// Deletes the updates of a round.
  func dropUpdates(of task: RoundTask) throws {
    let folder = folder(of: task)
    for name in try FileSystem.names(in: folder) where name.hasSuffix(Self.updateExtension) {
      try FileSystem.remove(folder + "/" + name)
    }
  }

  /// Returns the average of a round that has finished.
  func average(of name: RepositoryName, of model: RepositoryName) async throws -> Data {
    try await endIfDue(name, of: model, waits: false)
    let round = try await round(name, of: model)
    guard round.state == .finished else {
      throw Problem(
        .conflict, "no_average",
        "Round '\(name)' of '\(model)' has no average, because it is \(round.state.rawValue)."
          + (round.reason.map { " " + $0 } ?? ""))
    }
    let path = averageFile(of: round.task)
    return try await NIOThreadPool.singleton.runIfActive {
      let bytes: Data
      do {
        bytes = try Data(contentsOf: URL(filePath: path))
      } catch {
        throw RepositoryError(storage: "The average can't be read", FileSystem.reason(for: error))
      }
      guard round.average.map({ $0 == BlobDigest(of: bytes) }) ?? true else {
        throw Problem(
          .internalServerError, "average_damaged",
          "The average of round '\(name)' of '\(model)' is damaged: its SHA-256 isn't the one that "
            + "was stored when the round ended. Restore it from a backup, or delete the round.")
      }
      return bytes
    }
  }
}
#endif
