// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import Logging
import ModelRepositoryAPI
import StoredRows
import WebServing

extension RoundStore {
  /// Ends rounds that are due, once a second, until the task is cancelled.
  ///
  /// After a failure, a round is tried again after pauses that grow up to a minute.
  func run(_ logger: Logger) async {
    var failures: [[RepositoryName]: Failure] = [:]
    while !Task.isCancelled {
      do {
        let due = try await dueRounds()
        failures = failures.filter { due.contains($0.key) }
        for key in due where failures[key].map({ $0.next <= .now }) ?? true {
          do {
            try await endIfDue(key[1], of: key[0])
            failures[key] = nil
          } catch {
            logger.error(
              "a federated round can't be ended",
              metadata: ["round": "\(key[0])/\(key[1])", "fault": "\(error)"])
            failures[key, default: Failure()].note()
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

  /// The failed attempts to end a round.
  struct Failure: Sendable {
    private(set) var count = 0
    /// When the round is tried again.
    private(set) var next = ContinuousClock.now

    /// Notes another failure, which doubles the pause up to a minute.
    mutating func note(at now: ContinuousClock.Instant = .now) {
      count += 1
      next = now + .seconds(min(60, 1 << min(count, 6)))
    }
  }

  /// Returns the rounds, as model and round, that may have to end now.
  ///
  /// Only the rows are counted, because a round can have many clients.
  func dueRounds() async throws -> [[RepositoryName]] {
    let now = repository.now
    return try await repository.database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT model, round FROM rounds WHERE state = 'averaging' OR state = 'open' AND (
            deadline <= ? OR (
              SELECT COUNT(*) > 0 AND COUNT(*) = COUNT(digest) FROM round_clients
              WHERE round_clients.model = rounds.model AND round_clients.round = rounds.round))
          """, arguments: [now]
      ).compactMap { row in
        guard let model = String.fromDatabaseValue(row["model"]).flatMap(RepositoryName.init),
          let round = String.fromDatabaseValue(row["round"]).flatMap(RepositoryName.init)
        else { return nil }
        return [model, round]
      }
    }
  }

  /// Deletes a round that has ended, with its average.
  ///
  /// A round whose row is damaged can be deleted in any state.
  func delete(_ name: RepositoryName, of model: RepositoryName, by token: String) async throws {
    let repository = repository
    try await ending.withLock([model, name]) {
      let state = try await repository.database.read { database -> RoundStatus.State in
        do {
          return try Self.round(name, of: model, database).state
        } catch is DamagedRow {
          return .failed
        }
      }
      guard [.finished, .failed].contains(state) else {
        throw Problem(
          .conflict, "round_not_over",
          "Round '\(name)' of '\(model)' is \(state.rawValue). End it before you delete it.")
      }
      let folder = repository.folder.rounds + "/\(model)/\(name)"
      // A client that doesn't wait for the response must not leave half of this undone. The files
      // are deleted first, because a round without its average can be deleted again.
      try await Task {
        try await RepositoryCopy.blocking {
          guard try FileSystem.exists(folder) else { return }
          do {
            try FileManager.default.removeItem(atPath: folder)
          } catch {
            throw RepositoryError(
              storage: "The round's files can't be deleted", FileSystem.reason(for: error))
          }
          try FileSystem.flush(repository.folder.rounds + "/\(model)")
        }
        try await repository.database.write { database in
          for table in [RepositoryTable.roundClients, .rounds] {
            try database.execute(
              sql: "DELETE FROM \(table.rawValue) WHERE model = ? AND round = ?",
              arguments: [model.text, name.text])
          }
          try repository.audit(database, token, "round.delete", "\(model)/\(name)")
        }
      }.value
      forgetRefusals(name, of: model)
    }
  }
}
#endif
