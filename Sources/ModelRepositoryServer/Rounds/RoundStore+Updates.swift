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
import Hummingbird
import ModelRepositoryAPI
import NIOPosix
import StoredRows
import WebServing

extension RoundStore {
  /// Enrols a client.
  ///
  /// A client that has lost its secret, because its process was killed, gets another one if its
  /// token is for one client, and if it hasn't sent an update.
  func enrol(
    in name: RepositoryName, of model: RepositoryName, by token: String
  ) async throws -> RoundEnrolment {
    let repository = repository
    let id = UUID().uuidString.lowercased()
    let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64EncodedString()
    return try await repository.database.write { database in
      let round = try Self.round(name, of: model, database)
      try Self.checkOpen(round, at: repository.now)
      let plan = round.task.plan
      func count(_ condition: String, _ values: StatementArguments) throws -> Int {
        try Int.fetchOne(
          database,
          sql: "SELECT COUNT(*) FROM round_clients WHERE model = ? AND round = ?" + condition,
          arguments: [model.text, name.text] + values) ?? 0
      }
      let hash = Data(SHA256.hash(data: Data(secret.utf8)))
      if plan.clientsPerToken == 1 {
        let present = try String.fetchOne(
          database,
          sql: """
            UPDATE round_clients SET secret_hash = ?
            WHERE model = ? AND round = ? AND token = ? AND digest IS NULL RETURNING client
            """, arguments: [hash, model.text, name.text, token])
        if let present { return RoundEnrolment(client: present, secret: secret) }
      }
      guard try count(" AND token = ?", [token]) < plan.clientsPerToken else {
        throw Problem(
          .conflict, "already_enrolled",
          "\(plan.clientsPerToken) clients of this token are enrolled in round '\(name)', which is "
            + "the limit. Each client needs a token of its own.")
      }
      guard try count("", []) < plan.maximumClients else {
        throw Problem(
          .conflict, "round_full",
          "Round '\(name)' has the largest number of clients, \(plan.maximumClients).")
      }
      try database.execute(
        sql: """
          INSERT INTO round_clients (model, round, client, secret_hash, token, enrolled, examples)
          VALUES (?, ?, ?, ?, ?, ?, 0)
          """,
        arguments: [
          model.text, name.text, id, hash, token, repository.now,
        ])
      return RoundEnrolment(client: id, secret: secret)
    }
  }

  static func checkOpen(_ round: Round, at now: Date) throws {
    guard round.state == .open, now < round.task.deadline else {
      throw Problem(
        .conflict, "round_over",
        "Round '\(round.task.round)' is over, so it takes no more clients and updates.")
    }
  }

  /// Receives, checks and keeps a client's update.
  func receive(
    _ body: RequestBody, length: Int?, from client: String, secret: String, token: String,
    in name: RepositoryName, of model: RepositoryName
  ) async throws -> RoundReceipt {
    try await sending.withLock([model.text, name.text, client]) {
      let task = try await sender(client, secret, token, in: name, of: model)
      let longest = RoundUpdate.longest(of: task)
      func check(_ count: Int) throws {
        guard count <= longest else {
          throw Problem(
            .contentTooLarge, "update_too_long",
            "An update of round '\(name)' has at most \(longest) bytes.", endsConnection: true)
        }
      }
      try check(length ?? 0)
      let uploads = UploadStore(repository)
      try await uploads.checkRoom(for: length ?? longest)
      try FileSystem.makeFolder(incoming)
      let path = incoming + "/" + UUID().uuidString
      defer { try? FileSystem.remove(path) }
      let file = try await UploadFile.open(path, at: 0, hash: nil)
      var pace = MinimumRateCheck(repository.options)
      var count = 0
      var pending = ByteBuffer()
      func write() async throws {
        // The space is checked again, because other requests write, too.
        try await uploads.checkRoom(for: pending.readableBytes)
        try await file.write(pending)
        pending.clear()
      }
      for try await part in body {
        try pace.received(part.readableBytes)
        count += part.readableBytes
        try check(count)
        pending.writeImmutableBuffer(part)
        if pending.readableBytes >= blobPieceSize { try await write() }
      }
      try await write()
      let digest = BlobDigest(try await file.flush().finalize())
      let examples = try await checking.withLock {
        try await NIOThreadPool.singleton.runIfActive {
          try Self.read(path, from: client, of: task).examples
        }
      }
      // A client that doesn't wait for the response must not leave half of this undone.
      return try await Task {
        try await keep(path, digest, examples, from: client, in: task)
      }.value
    }
  }

  /// Reads an update from a file, and explains why it is refused.
  static func read(
    _ path: String, from client: String, of task: RoundTask
  ) throws -> RoundUpdate {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw RepositoryError(storage: "An update can't be read", FileSystem.reason(for: error))
    }
    do {
      return try RoundUpdate(parsing: data, from: client, of: task)
    } catch {
      throw Problem(.unprocessableContent, error.code.rawValue, error.message)
    }
  }

  /// Returns the round's task, if the client may send an update.
  private func sender(
    _ id: String, _ secret: String, _ token: String, in name: RepositoryName,
    of model: RepositoryName
  ) async throws -> RoundTask {
    let now = repository.now
    return try await repository.database.read { database in
      let round = try Self.round(name, of: model, database)
      try Self.checkOpen(round, at: now)
      let client = try Self.client(id, of: round.task, database)
      // Digests are compared in constant time.
      guard let client, client.token == token,
        SHA256.hash(data: Data(secret.utf8)) == client.secretHash
      else {
        throw Problem(
          .forbidden, "not_enrolled",
          "The client isn't enrolled in round '\(name)' with this token and this secret.")
      }
      try Self.checkNew(client)
      return round.task
    }
  }

  private static func client(
    _ id: String, of task: RoundTask, _ database: Database
  ) throws -> Client? {
    try database.first(
      .roundClients, "WHERE model = ? AND round = ? AND client = ?",
      [task.model.text, task.round.text, id], Client.init)
  }

  private static func checkNew(_ client: Client?) throws {
    guard let digest = client?.digest else { return }
    throw Problem(
      .conflict, "update_repeated",
      "The client's update was accepted before (sha256:\(digest)). A client sends one update.")
  }

  /// Moves an update to its place, and then notes it in the database.
  ///
  /// If the round has ended in the meantime, nothing of the update is kept.
  private func keep(
    _ path: String, _ digest: BlobDigest, _ examples: Int, from id: String, in task: RoundTask
  ) async throws -> RoundReceipt {
    let (folders, target) = (repository.folder.folders(of: task), file(of: id, in: task))
    let now = repository.now
    @Sendable func check(_ database: Database) throws {
      try Self.checkOpen(try Self.round(task.round, of: task.model, database), at: now)
      try Self.checkNew(try Self.client(id, of: task, database))
    }
    // Until this has passed, the target may be an update that was accepted.
    try await repository.database.read(check)
    do {
      try await NIOThreadPool.singleton.runIfActive {
        try FileSystem.makeFolder(folders[0])
        try FileSystem.rename(path, to: target)
        for folder in folders { try FileSystem.flush(folder) }
      }
      try await repository.database.write { database in
        try check(database)
        try database.execute(
          sql: """
            UPDATE round_clients SET digest = ?, examples = ?
            WHERE model = ? AND round = ? AND client = ?
            """,
          arguments: [digest.hexadecimal, examples, task.model.text, task.round.text, id])
        // The round may have been deleted, and another one of its name created.
        guard database.changesCount == 1 else { throw Self.noRound(task.round, task.model) }
      }
    } catch {
      // If this fails, garbage collection and the next start remove the file.
      _ = try? await NIOThreadPool.singleton.runIfActive { try FileSystem.remove(target) }
      throw error
    }
    return RoundReceipt(digest: digest, examples: examples)
  }
}
#endif
