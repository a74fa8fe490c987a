// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import NIOPosix
import StoredRows
import Synchronization

/// Blobs that are being sent.
///
/// An upload's row tells how many bytes are on the disk for certain; more may be in the file, which
/// count for nothing. The order of steps is in Documentation/ModelRepository.md.
final class UploadStore: Sendable {
  /// A row.
  struct Upload: Sendable {
    let id: String
    let offset: Int
    var state: UploadState { UploadState(id: id, offset: offset) }

    init(id: String, offset: Int) {
      self.id = id
      self.offset = offset
    }

    /// Reads a row.
    ///
    /// - Throws: `DamagedRow`; the id names a file, so it must be one that ``begin(_:)`` makes.
    init(_ row: CheckedRow) throws {
      id = try row.text("id")
      guard UUID(uuidString: id) != nil else { throw row.mismatch("id", "a UUID") }
      offset = try row.integer("offset")
    }
  }

  private struct State {
    /// Uploads that a request is working on.
    var busy: Set<String> = []
    /// What was hashed, so that it need not be read again.
    var hashes: [String: (offset: Int, hash: SHA256)] = [:]
    /// Bytes that requests under way announced.
    var reserved = 0
    /// Why uploads were given up that the disk did not take; the last ones of them.
    var failures: [String: RepositoryError] = [:]
  }

  let repository: Repository
  private let state = Mutex(State())

  init(_ repository: Repository) { self.repository = repository }

  var options: ModelRepositoryOptions { repository.options }

  /// Begins an upload.
  ///
  /// - Parameter token: Whose it is.
  /// - Returns: Its name.
  /// - Throws: ``Problem`` where the token has too many.
  func begin(_ token: String) async throws -> UploadState {
    try await checkRoom(for: 0)
    try await makeRoom(for: token)
    let id = UUID().uuidString.lowercased()
    let (now, maximum) = (repository.now, options.maximumUploadsPerToken)
    let oldest = now - options.uploadLifetime
    try await repository.database.write { database in
      let count =
        try Int.fetchOne(
          database, sql: "SELECT COUNT(*) FROM uploads WHERE token = ? AND used > ?",
          arguments: [token, oldest]) ?? 0
      guard count < maximum else {
        throw Problem(
          .tooManyRequests, "too_many_uploads",
          "This token has \(count) uploads under way, and no more are possible. End some of them.",
          headers: [.retryAfter: "60"])
      }
      try database.execute(
        sql: "INSERT INTO uploads (id, token, offset, used) VALUES (?, ?, 0, ?)",
        arguments: [id, token, now])
    }
    return UploadState(id: id, offset: 0)
  }

  /// Gives up the upload that was idle the longest, where a token has as many as are possible.
  ///
  /// Else a publisher that was killed often enough could do nothing for a day.
  private func makeRoom(for token: String) async throws {
    let (maximum, oldest) = (options.maximumUploadsPerToken, repository.now - Self.patience)
    let idle = try await repository.database.read { database in
      let count = try Int.fetchOne(
        database, sql: "SELECT COUNT(*) FROM uploads WHERE token = ?", arguments: [token])
      guard count ?? 0 >= maximum else { return [String]() }
      var faults: [String] = []
      return try database.sound(
        .uploads, "\(RepositoryTable.uploads.rows) WHERE token = ? AND used <= ? ORDER BY used",
        [token, oldest], faults: &faults
      ) { try Upload($0).id }
    }
    guard let id = idle.first(where: claim) else { return }
    defer { release(id) }
    try await discard(id)
  }

  /// For how many seconds an upload is not given up for another one.
  private static let patience: TimeInterval = 60

  /// How far an upload is.
  func upload(_ id: String, _ token: String) async throws -> Upload {
    let oldest = repository.now - options.uploadLifetime
    let upload = try await repository.database.read { database in
      try Row.fetchOne(
        database, sql: "\(RepositoryTable.uploads.rows) WHERE id = ? AND token = ? AND used > ?",
        arguments: [id, token, oldest]
      ).map { try CheckedRow.read($0, of: .uploads) { try Upload($0) } }
    }
    guard let upload else {
      if let failure = state.withLock({ $0.failures[id] }) { throw Problem.notStored(failure) }
      throw Problem.notFound(
        "upload_not_found",
        "There is no such upload of this token: it is finished, was given up, or was idle too long."
      )
    }
    return upload
  }

  /// Gives an upload up.
  func cancel(_ id: String, _ token: String) async throws {
    try await exclusively(id) {
      _ = try await upload(id, token)
      try await discard(id)
    }
  }

  /// Gives up what was idle for too long.
  ///
  /// - Returns: How many uploads that were, and how many bytes they had.
  func expire() async throws -> (count: Int, bytes: Int) {
    let oldest = repository.now - options.uploadLifetime
    let old = try await repository.database.read { database in
      // Damaged rows stay as they are; `fsck` names them.
      var faults: [String] = []
      return try database.sound(
        .uploads, "\(RepositoryTable.uploads.rows) WHERE used <= ?", [oldest], faults: &faults
      ) { try Upload($0) }
    }
    var (count, bytes) = (0, 0)
    for upload in old where claim(upload.id) {
      defer { release(upload.id) }
      try await discard(upload.id)
      count += 1
      bytes += upload.offset
    }
    return (count, bytes)
  }

  /// Takes an upload away, file and row.
  ///
  /// - Parameters:
  ///   - id: The upload.
  ///   - failure: What the disk refused, which is told to those who ask for the upload afterwards.
  /// - Throws: The error of the disk or of the database.
  func discard(_ id: String, because failure: RepositoryError? = nil) async throws {
    forget(id)
    if let failure {
      state.withLock { state in
        if state.failures.count >= 1000 { state.failures.removeAll() }
        state.failures[id] = failure
      }
    }
    let path = path(id)
    // A large file goes slowly.
    try await Task { try await NIOThreadPool.singleton.runIfActive { try FileSystem.remove(path) } }
      .value
    try await repository.database.write {
      try $0.execute(sql: "DELETE FROM uploads WHERE id = ?", arguments: [id])
    }
  }

  /// Where an upload's bytes are.
  func path(_ id: String) -> String { repository.folder.uploads + "/" + id }

  // MARK: - One request at a time

  /// Does something with an upload that no other request works on.
  func exclusively<Value>(_ id: String, _ body: () async throws -> Value) async throws -> Value {
    guard claim(id) else {
      throw Problem.conflict(
        "upload_busy", "Another request works on this upload. Wait until it is answered.")
    }
    defer { release(id) }
    return try await body()
  }

  private func claim(_ id: String) -> Bool {
    state.withLock { $0.busy.insert(id).inserted }
  }

  private func release(_ id: String) {
    state.withLock { _ = $0.busy.remove(id) }
  }

  /// The SHA-256 of an upload's first bytes, if it is known.
  func knownHash(_ upload: Upload) -> SHA256? {
    state.withLock { state in
      guard let known = state.hashes[upload.id], known.offset == upload.offset else { return nil }
      return known.hash
    }
  }

  /// Notes a SHA-256.
  func remember(_ hash: SHA256, of id: String, at offset: Int) {
    state.withLock { $0.hashes[id] = (offset, hash) }
  }

  /// Forgets the SHA-256 of an upload that is no more.
  func forget(_ id: String) {
    state.withLock { $0.hashes[id] = nil }
  }

  // MARK: - Quota

  /// Sets bytes apart while something is done.
  ///
  /// - Throws: ``Problem`` where the quota has no place for them.
  func reserving<Value>(_ count: Int, _ body: () async throws -> Value) async throws -> Value {
    guard let quota = options.quota else { return try await body() }
    let others = state.withLock { state in
      state.reserved += count
      return state.reserved - count
    }
    defer { state.withLock { $0.reserved -= count } }
    let used = try await repository.database.read { database in
      let sum = try Double.fetchOne(
        database,
        sql: "SELECT (SELECT TOTAL(size) FROM blobs) + (SELECT TOTAL(offset) FROM uploads)")
      return Int(clampedSum: sum ?? 0)
    }
    // Not one sum: a damaged row may have any size.
    guard used <= quota, others + count <= quota - used else {
      throw Problem(
        HTTPStatus.insufficientStorage, "quota_exceeded",
        "\(used) of \(quota) bytes are taken, and \(count) more have no place. Collect garbage.",
        endsConnection: true)
    }
    return try await body()
  }
}
#endif
