// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import Logging
public import ModelRepositoryAPI
import NIOPosix
import StoredRows

/// A source of a repository's blobs: another repository that is a copy of it, or of which it is a
/// copy.
public protocol BlobMirror: Sendable {
  /// The mirror's name in the log, for example its address.
  var name: String { get }

  /// Downloads a blob into a new file.
  ///
  /// The caller checks the bytes, so a mirror need not be trusted.
  ///
  /// - Parameters:
  ///   - blob: The blob. The method must not write more bytes than its size.
  ///   - file: The file's path.
  /// - Throws: Any error, which is logged.
  func download(_ blob: BlobReference, to file: String) async throws
}

/// Fetches damaged and lost blobs from a mirror.
struct BlobRecovery: Sendable {
  let repository: Repository
  let mirror: any BlobMirror
  let logger: Logger
  /// The time between two searches for damaged blobs.
  var pause = Duration.seconds(1)
  /// The time after which the mirror is asked again for a blob that it didn't deliver.
  var retry = Duration.seconds(600)

  /// Fetches blobs until the task is cancelled.
  func run() async {
    // The blobs that versions refer to and that were already missing at the start.
    var lost = Set(repository.missing.compactMap { BlobDigest($0.digest) })
    var tried: [BlobDigest: ContinuousClock.Instant] = [:]
    while !Task.isCancelled {
      let wanted = repository.damagedBlobs.digests.union(lost)
      tried = tried.filter { wanted.contains($0.key) }
      for digest in wanted {
        guard tried[digest].map({ .now - $0 > retry }) ?? true else { continue }
        tried[digest] = .now
        if await recover(digest) { lost.remove(digest) }
      }
      do { try await Task.sleep(for: pause) } catch { return }
    }
  }

  /// Fetches a blob to replace the damaged one, and returns whether it is intact or unneeded now.
  func recover(_ digest: BlobDigest) async -> Bool {
    let file = "\(repository.folder.uploads)/mirror-\(digest.hexadecimal)"
    defer { try? FileManager.default.removeItem(atPath: file) }
    do {
      guard let blob = try await reference(to: digest) else { return true }
      try await mirror.download(blob, to: file)
      let found = try await NIOThreadPool.singleton.runIfActive {
        try BlobDigest(UploadFile.hash(of: file, count: blob.size).finalize())
      }
      guard found == digest else {
        throw RepositoryError(
          .storage,
          "The mirror sent different bytes, which have the digest \(found).")
      }
      try await repository.store(file, as: blob) { database in
        try repository.audit(
          database, nil, "blob.recover", "\(digest)", "\(blob.size) bytes from \(mirror.name)")
      }
      logger.notice(
        "a damaged blob was fetched again",
        metadata: ["blob": "\(digest)", "mirror": "\(mirror.name)"])
      return true
    } catch {
      logger.error(
        "a damaged blob cannot be fetched again",
        metadata: ["blob": "\(digest)", "mirror": "\(mirror.name)", "fault": "\(error)"])
      return false
    }
  }

  /// Returns a blob's size from the database.
  ///
  /// If the blob's own row is missing, the rows of the versions that contain it still have its
  /// size.
  private func reference(to digest: BlobDigest) async throws -> BlobReference? {
    try await repository.database.read { database in
      do {
        if let size = try database.blobSize(digest) {
          return BlobReference(digest: digest, size: size)
        }
      } catch is DamagedRow {
        // The rows of versions contain the size, too.
      }
      let rows = try Row.fetchAll(
        database, sql: "\(RepositoryTable.versionBlobs.rows) WHERE digest = ?",
        arguments: [digest.hexadecimal])
      return try rows.first.map {
        try CheckedRow.read($0, of: .versionBlobs) { try $0.blob() }
      }
    }
  }
}
#endif
