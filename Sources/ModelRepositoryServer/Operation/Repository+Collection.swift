// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows
import WebServing

extension Repository {
  /// Deletes blobs that no version refers to, and files without a row.
  ///
  /// Blobs that were used within the grace period stay, because someone may be about to publish
  /// them. A version that is published before a blob's row is deleted keeps the blob. A publication
  /// that comes later fails and names the missing blob.
  func collectGarbage(_ uploads: UploadStore, by token: String?) async throws -> CollectionReport {
    try await blobs.check()
    var report = CollectionReport.nothing
    let expired = try await uploads.expire()
    report.uploads = expired.count
    report.bytes = expired.bytes
    let oldest = now - options.collectionGracePeriod
    let candidates = try await database.read { database in
      // Damaged rows stay as they are; `fsck` reports them.
      var faults: [String] = []
      return try database.sound(
        .blobs, "\(RepositoryTable.blobs.rows) WHERE \(Self.isGarbage)", [oldest], faults: &faults
      ) { row in
        _ = try row.time("used")
        return try row.blob()
      }
    }
    for candidate in candidates {
      let digest = candidate.digest
      let isGone = try await commits.withLock(digest) {
        // The row is deleted before the file, so that a row never exists without its file.
        let isGone = try await database.write { database in
          try database.execute(
            sql: "DELETE FROM blobs WHERE digest = ? AND \(Self.isGarbage)",
            arguments: [digest.hexadecimal, oldest])
          return database.changesCount > 0
        }
        if isGone { try await delete(digest) }
        return isGone
      }
      if isGone {
        report.blobs += 1
        report.bytes += candidate.size
      }
    }
    for stored in try await blobs.list() where stored.stored < oldest {
      if try await removeOrphan(stored.blob.digest) {
        report.orphans += 1
        report.bytes += stored.blob.size
      }
    }
    let total = report
    try await database.write { [self] database in
      try audit(
        database, token, "gc", "blobs",
        "\(total.blobs) blobs, \(total.orphans) orphans, \(total.uploads) uploads, "
          + "\(total.bytes) bytes")
    }
    // A file that can't be deleted doesn't keep the blobs from being collected.
    let rounds = RoundStore(self)
    try await RepositoryCopy.blocking { try rounds.dropEndedUpdates() }
    return report
  }

  private static let isGarbage = """
    used < ? AND NOT EXISTS (SELECT 1 FROM version_blobs WHERE version_blobs.digest = blobs.digest)
    """

  /// Deletes a file that has no row and that no version refers to.
  private func removeOrphan(_ digest: BlobDigest) async throws -> Bool {
    try await commits.withLock(digest) {
      let isKnown = try await database.read { database in
        try Bool.fetchOne(
          database,
          sql: """
            SELECT EXISTS (SELECT 1 FROM blobs WHERE digest = ?1)
              OR EXISTS (SELECT 1 FROM version_blobs WHERE digest = ?1)
            """, arguments: [digest.hexadecimal])
      }
      guard isKnown != true else { return false }
      try await delete(digest)
      return true
    }
  }

  private func delete(_ digest: BlobDigest) async throws {
    defer {
      smallBlobs.forget(digest)
      blobSizes.forget(digest)
      damagedBlobs.remove(digest)
    }
    try await blobs.delete(digest)
  }
}
#endif
