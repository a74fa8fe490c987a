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

/// The blobs that are being uploaded.
///
/// An upload's row contains the number of bytes that are durable. The file may have more bytes,
/// which are ignored. The order of the steps is described in Documentation/ModelRepository.md.
final class UploadStore: Sendable {
  private struct State {
    /// The uploads that a request is working on.
    var busy: Set<String> = []
    /// The hashes so far, so that the bytes need not be read again.
    var hashes: [String: (offset: Int, hash: SHA256)] = [:]
    /// The number of bytes that the requests under way have announced.
    var reserved = 0
    /// The reasons why recent uploads were discarded after the disk failed.
    var failures: [String: RepositoryError] = [:]
  }

  let repository: Repository
  private let state = Mutex(State())

  init(_ repository: Repository) { self.repository = repository }

  var options: ModelRepositoryOptions { repository.options }

  /// Begins an upload, unless the token has too many of them, or the bytes can't be stored.
  ///
  /// - Parameters:
  ///   - token: The token's identifier.
  ///   - size: The number of bytes that the client announced, or 0.
  /// - Returns: The new upload.
  /// - Throws: ``Problem``.
  func begin(_ token: String, size: Int) async throws -> UploadState {
    try checkSize(size)
    try await checkRoom(for: size)
    return try await reserving(size) { try await begin(token) }
  }

  private func begin(_ token: String) async throws -> UploadState {
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
          "This token has \(count) uploads in progress, which is the maximum. Finish or cancel "
            + "some of them.",
          headers: [.retryAfter: "60"])
      }
      try database.execute(
        sql: "INSERT INTO uploads (id, token, offset, used) VALUES (?, ?, 0, ?)",
        arguments: [id, token, now])
    }
    return UploadState(id: id)
  }

  /// Discards the upload that has been idle longest, if a token has the maximum number of uploads.
  ///
  /// Otherwise, a publisher that was killed often enough couldn't upload anything for a day.
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
      ) { try UploadState($0).id }
    }
    guard let id = idle.first(where: claim) else { return }
    defer { release(id) }
    try await discard(id)
  }

  /// The number of seconds for which an idle upload is protected from being discarded for another
  /// one.
  private static let patience: TimeInterval = 60

  func upload(_ id: String, _ token: String) async throws -> UploadState {
    let oldest = repository.now - options.uploadLifetime
    let upload = try await repository.database.read { database in
      try database.first(
        .uploads, "WHERE id = ? AND token = ? AND used > ?", [id, token, oldest],
        UploadState.init)
    }
    guard let upload else {
      if let failure = state.withLock({ $0.failures[id] }) { throw Problem.notStored(failure) }
      throw Problem(
        .notFound, "upload_not_found",
        "This token has no such upload. It was finished or cancelled, or it was idle for too long.")
    }
    return upload
  }

  /// Discards an upload at its owner's request.
  func cancel(_ id: String, _ token: String) async throws {
    try await exclusively(id) {
      _ = try await upload(id, token)
      try await discard(id)
    }
  }

  /// Discards the uploads that have been idle for too long.
  ///
  /// - Returns: The number of discarded uploads, and of their bytes.
  func expire() async throws -> (count: Int, bytes: Int) {
    let oldest = repository.now - options.uploadLifetime
    let old = try await repository.database.read { database in
      // Damaged rows stay as they are; `fsck` reports them.
      var faults: [String] = []
      return try database.sound(
        .uploads, "\(RepositoryTable.uploads.rows) WHERE used <= ?", [oldest], faults: &faults
      ) { try UploadState($0) }
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

  /// Discards an upload: its file and its row.
  ///
  /// Later requests for the upload receive the disk's failure, if there was one.
  func discard(_ id: String, because failure: RepositoryError? = nil) async throws {
    forget(id)
    if let failure {
      state.withLock { state in
        if state.failures.count >= 1000 { state.failures.removeAll() }
        state.failures[id] = failure
      }
    }
    let path = path(id)
    // Removing a large file is slow, so it runs on the thread pool, in a task that isn't cancelled
    // together with the request.
    try await Task { try await NIOThreadPool.singleton.runIfActive { try FileSystem.remove(path) } }
      .value
    try await repository.database.write {
      try $0.execute(sql: "DELETE FROM uploads WHERE id = ?", arguments: [id])
    }
  }

  func path(_ id: String) -> String { repository.folder.uploads + "/" + id }

  // MARK: - One request at a time

  /// Runs a closure while no other request works on an upload.
  func exclusively<Value>(_ id: String, _ body: () async throws -> Value) async throws -> Value {
    guard claim(id) else {
      throw Problem(
        .conflict, "upload_busy", "Another request is using this upload. Wait for its response.")
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

  /// Returns the SHA-256 of an upload's bytes, if it is known.
  func knownHash(_ upload: UploadState) -> SHA256? {
    state.withLock { state in
      guard let known = state.hashes[upload.id], known.offset == upload.offset else { return nil }
      return known.hash
    }
  }

  func remember(_ hash: SHA256, of id: String, at offset: Int) {
    state.withLock { $0.hashes[id] = (offset, hash) }
  }

  func forget(_ id: String) {
    state.withLock { $0.hashes[id] = nil }
  }

  // MARK: - Quota

  /// Reserves bytes while a closure runs.
  ///
  /// - Throws: ``Problem`` if the bytes would exceed the quota.
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
    // The values aren't added up, because a damaged row may contain a huge size.
    guard used <= quota, others + count <= quota - used else {
      throw Problem(
        HTTPStatus.insufficientStorage, "quota_exceeded",
        "\(used) of \(quota) bytes are used, and there is no space for \(count) more. Collect "
          + "garbage, or start the server with a larger --quota.",
        endsConnection: true)
    }
    return try await body()
  }
}

extension UploadState {
  /// Creates an upload from its row.
  ///
  /// - Throws: `DamagedRow`. The id names a file, so it has to be one that the server can create.
  init(_ row: CheckedRow) throws {
    let id = try row.text("id")
    guard UUID(uuidString: id) != nil else { throw row.mismatch("id", "a UUID") }
    self.init(id: id)
    offset = try row.integer("offset")
  }
}
#endif
