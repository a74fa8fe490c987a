// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import NIOPosix
import StoredRows
import WebServing

extension UploadStore {
  /// Turns an upload into a blob, which is durable when this returns.
  func finish(_ id: String, _ token: String, as digest: BlobDigest) async throws -> BlobReference {
    try await exclusively(id) {
      let upload = try await upload(id, token)
      let actual = try await hash(of: upload)
      guard actual == digest else {
        // No further bytes could fix the upload.
        try await discard(id)
        throw Problem(
          .unprocessableContent, "digest_mismatch",
          "The \(upload.offset) bytes of the upload have the digest \(actual), not \(digest). The "
            + "upload was discarded. Send it again.")
      }
      let blob = BlobReference(digest: digest, size: upload.offset)
      // This task isn't cancelled together with the request, because half of the steps would leave
      // garbage.
      try await Task { try await commit(upload, blob, token) }.value
      return blob
    }
  }

  /// Returns a blob if it already exists and need not be sent; nil otherwise.
  ///
  /// Garbage collection keeps the blob for another grace period.
  func present(_ digest: BlobDigest) async throws -> BlobReference? {
    let now = repository.now
    // A damaged blob has to be sent again.
    guard !repository.damagedBlobs.contains(digest) else { return nil }
    return try await repository.commits.withLock(digest) {
      let size: Int?
      do {
        size = try await repository.database.read { try $0.blobSize(digest) }
      } catch is DamagedRow {
        // The upload will replace the row.
        return nil
      }
      guard let size, try await repository.blobs.size(of: digest) == size else { return nil }
      try await repository.database.write {
        try $0.execute(
          sql: "UPDATE blobs SET used = ? WHERE digest = ?", arguments: [now, digest.hexadecimal])
      }
      return BlobReference(digest: digest, size: size)
    }
  }

  private func hash(of upload: UploadState) async throws -> BlobDigest {
    if let hash = knownHash(upload) { return BlobDigest(hash.finalize()) }
    let path = path(upload.id)
    do {
      let hash = try await NIOThreadPool.singleton.runIfActive {
        try UploadFile.hash(of: path, count: upload.offset)
      }
      return BlobDigest(hash.finalize())
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw try await unreadable(upload, error)
    }
  }

  /// Returns the problem for an upload whose file can't be opened or read.
  private func unreadable(_ upload: UploadState, _ error: any Error) async throws -> Problem {
    let path = path(upload.id)
    let size = try? await NIOThreadPool.singleton.runIfActive { try FileSystem.size(of: path) ?? 0 }
    // The bytes exist, but can't be read at the moment.
    guard let size, size < upload.offset else { return .notStored(error) }
    // The file was moved into the store, but the row wasn't deleted afterwards.
    try await discard(upload.id)
    return Problem(
      .notFound, "upload_not_found",
      "The upload's bytes no longer exist. Begin a new upload with the digest.")
  }

  private func commit(_ upload: UploadState, _ blob: BlobReference, _ token: String) async throws {
    let file: UploadFile
    do {
      // Opening the file truncates it: bytes after the offset, from an aborted request, aren't part
      // of the blob.
      file = try await UploadFile.open(path(upload.id), at: upload.offset, hash: SHA256())
    } catch {
      throw try await unreadable(upload, error)
    }
    do {
      _ = try await file.flush()
      try await repository.store(path(upload.id), as: blob) { [repository] database in
        try database.execute(sql: "DELETE FROM uploads WHERE id = ?", arguments: [upload.id])
        try repository.audit(database, token, "blob.upload", "\(blob.digest)", "\(blob.size) bytes")
      }
      forget(upload.id)
    } catch let error as RepositoryError where error.code == .storage {
      try await discard(upload.id, because: error)
      throw Problem.notStored(error)
    }
  }
}

extension Repository {
  /// Turns a file into a blob, and replaces one that may be damaged or lost.
  ///
  /// The file's bytes must have been checked against the digest. The note makes further changes to
  /// the database in the same transaction.
  func store(
    _ file: String, as blob: BlobReference, _ note: @escaping @Sendable (Database) throws -> Void
  ) async throws {
    try await commits.withLock(blob.digest) {
      try await blobs.put(file, as: blob)
      let now = now
      try await database.write { database in
        try database.execute(
          sql: "DELETE FROM blobs WHERE digest = ?", arguments: [blob.digest.hexadecimal])
        // The row is replaced and not updated, because the existing one may be damaged.
        try database.execute(
          sql: "INSERT INTO blobs (digest, size, used) VALUES (?, ?, ?)",
          arguments: [blob.digest.hexadecimal, blob.size, now])
        try note(database)
      }
      damagedBlobs.remove(blob.digest)
    }
  }
}
#endif
