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
import Logging
import ModelRepositoryAPI
import NIOPosix
import StoredRows
import TensorIO
import WebServing

extension RoundStore {
  /// Ends rounds that are due, once a second, until the task is cancelled.
  func run(_ logger: Logger) async {
    while !Task.isCancelled {
      do {
        let open = try await repository.database.read { database in
          try Row.fetchAll(
            database,
            sql: "SELECT model, round FROM rounds WHERE state IN ('open', 'averaging')"
          ).compactMap { row -> (model: RepositoryName, round: RepositoryName)? in
            guard let model = String.fromDatabaseValue(row["model"]).flatMap(RepositoryName.init),
              let round = String.fromDatabaseValue(row["round"]).flatMap(RepositoryName.init)
            else { return nil }
            return (model, round)
          }
        }
        for (model, round) in open {
          do {
            try await endIfDue(round, of: model)
          } catch {
            logger.error(
              "a federated round can't be ended",
              metadata: ["round": "\(model)/\(round)", "fault": "\(error)"])
          }
        }
      } catch {
        logger.error(
          "the federated rounds can't be read",
          metadata: ["fault": "\(RepositoryDatabase.sentence(error))"])
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Ends a round at its deadline, or when all of its clients have sent their updates.
  ///
  /// - Parameters:
  ///   - name: The round.
  ///   - model: Its model.
  ///   - isForced: Whether to end it now.
  ///   - token: The token that asks for it.
  /// - Throws: ``Problem`` if the round is unknown, or the error of the disk or the database.
  func endIfDue(
    _ name: RepositoryName, of model: RepositoryName, isForced: Bool = false,
    by token: String? = nil
  ) async throws {
    try await ending.withLock {
      let repository = repository
      let now = repository.now
      let due = try await repository.database.write { database -> (RoundTask, [Client])? in
        let round = try Self.round(name, of: model, database)
        guard [.open, .averaging].contains(round.state) else { return nil }
        let clients = try Self.clients(of: round.task, database)
        let sent = clients.filter { $0.digest != nil }
        let plan = round.task.plan
        let isComplete = sent.count == clients.count && sent.count >= plan.minimumClients
        guard isForced || round.state == .averaging || now >= round.task.deadline || isComplete
        else { return nil }
        if round.state == .open {
          try database.execute(
            sql: "UPDATE rounds SET state = 'averaging' WHERE model = ? AND round = ?",
            arguments: [model.text, name.text])
          try repository.audit(
            database, token, "round.end", "\(model)/\(name)",
            "\(sent.count) of \(clients.count) clients")
        }
        return (round.task, sent)
      }
      guard let (task, clients) = due else { return }
      // The work goes on if the client that asked for it leaves.
      try await Task { try await end(task, clients) }.value
    }
  }

  private func end(_ task: RoundTask, _ clients: [Client]) async throws {
    let files = clients.map { ($0, file(of: $0.id, in: task)) }
    let path = averageFile(of: task)
    let (updates, damaged) = try await checking.withLock {
      try await NIOThreadPool.singleton.runIfActive {
        // The average can need gigabytes, so a round with too few updates fails without it.
        guard files.count >= task.plan.minimumClients else {
          let intact = files.count { Self.isIntact($0.1, of: $0.0) }
          return (intact, files.count - intact)
        }
        var average = RoundAverage(of: task)
        var damaged = 0
        for (client, file) in files {
          guard Self.isIntact(file, of: client),
            let update = try? Self.read(file, from: client.id, of: task)
          else {
            damaged += 1
            continue
          }
          average.add(update)
        }
        guard average.updates >= task.plan.minimumClients else {
          return (average.updates, damaged)
        }
        var generator = SystemRandomNumberGenerator()
        let result = average.result(noise: &generator)
        guard result.tensors.allSatisfy({ $0.floats.allSatisfy(\.isFinite) }) else {
          throw RepositoryError(.invalidDocument, "The average isn't finite.")
        }
        try FileSystem.write(result.serialized(), to: path)
        return (average.updates, damaged)
      }
    }
    let isEnough = updates >= task.plan.minimumClients
    let lost = damaged == 0 ? "" : " \(damaged) stored updates were damaged."
    let reason =
      isEnough
      ? nil
      : "\(updates) clients sent an update, but at least \(task.plan.minimumClients) are needed."
        + lost
    let now = repository.now
    try await repository.database.write { database in
      try database.execute(
        sql: "UPDATE rounds SET state = ?, reason = ?, ended = ? WHERE model = ? AND round = ?",
        arguments: [
          isEnough ? RoundStatus.State.finished.rawValue : RoundStatus.State.failed.rawValue,
          reason, now, task.model.text, task.round.text,
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
    try await endIfDue(name, of: model)
    let round = try await round(name, of: model)
    guard round.state == .finished else {
      throw Problem(
        .conflict, "no_average",
        "Round '\(name)' of '\(model)' has no average, because it is \(round.state.rawValue)."
          + (round.reason.map { " " + $0 } ?? ""))
    }
    let path = averageFile(of: round.task)
    return try await NIOThreadPool.singleton.runIfActive {
      do {
        return try Data(contentsOf: URL(filePath: path))
      } catch {
        throw RepositoryError(storage: "The average can't be read", FileSystem.reason(for: error))
      }
    }
  }
}
#endif
