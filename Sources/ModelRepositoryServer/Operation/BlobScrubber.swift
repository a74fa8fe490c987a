// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRDB
import Logging
import ModelRepositoryAPI
import StoredRows
import Synchronization

/// Reads all blobs repeatedly and slowly, to find those that were damaged at rest.
///
/// A disk can change bytes without reporting an error, and large blobs are sent without being
/// hashed. Once a blob is found damaged, requests for it get the status 500 until it is uploaded
/// again.
struct BlobScrubber: Sendable {
  let repository: Repository
  let metrics: ServerMetrics
  let logger: Logger
  /// The number of bytes to read per second.
  let rate: Int
  /// The pause after each round and after a failure.
  var pause = Duration.seconds(3600)

  /// Reads blobs until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await scrub()
      } catch is CancellationError {
        return
      } catch {
        logger.error("the blobs cannot be checked", metadata: ["fault": "\(error)"])
      }
      do { try await Task.sleep(for: pause) } catch { return }
    }
  }

  /// Reads all blobs once.
  func scrub() async throws {
    var (last, count, damaged) = ("", 0, 0)
    while let blob = try await next(after: last) {
      last = blob.digest.hexadecimal
      count += 1
      do {
        if try await !isWhole(blob) { damaged += 1 }
      } catch let error as RepositoryError {
        logger.error(
          "a blob cannot be read", metadata: ["blob": "\(blob.digest)", "fault": "\(error)"])
      }
    }
    logger.info("the blobs were read", metadata: ["blobs": "\(count)", "damaged": "\(damaged)"])
  }

  /// Returns the next blob after a digest.
  ///
  /// It skips damaged rows, which requests and `fsck` report.
  private func next(after digest: String) async throws -> BlobReference? {
    try await repository.database.read { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT digest, size FROM blobs WHERE digest > ? ORDER BY digest",
        arguments: [digest])
      while let row = try rows.next() {
        do {
          return try CheckedRow(row, of: .blobs).blob()
        } catch is DamagedRow { continue }
      }
      return nil
    }
  }

  private func isWhole(_ blob: BlobReference) async throws -> Bool {
    guard let content = try await repository.blobs.open(blob.digest), content.size == blob.size
    else { return try await isSound(blob, nil) }
    let found = try await content.digest { count in
      metrics.scrubbed(count)
      try await Task.sleep(for: .seconds(Double(count) / Double(max(rate, 1))))
    }
    return try await isSound(blob, found)
  }

  /// Records the result for a blob; `found` is nil if the file is missing or has another size.
  private func isSound(_ blob: BlobReference, _ found: BlobDigest?) async throws -> Bool {
    if found == blob.digest {
      repository.damagedBlobs.remove(blob.digest)
      return true
    }
    // The blob may have been deleted or replaced while it was read.
    let known = try await repository.database.read { try $0.blobSize(blob.digest) }
    guard known == blob.size else { return true }
    if repository.damagedBlobs.insert(blob.digest) {
      repository.smallBlobs.forget(blob.digest)
      logger.error(
        "a blob is damaged; upload it again",
        metadata: [
          "blob": "\(blob.digest)", "bytes": "\(blob.size)",
          "found": "\(found.map(\.description) ?? "another size, or no file")",
        ])
    }
    return false
  }
}

/// The blobs that were found damaged while the server runs; they must not be sent.
final class DamagedBlobs: Sendable {
  private let known = Mutex<Set<BlobDigest>>([])
  /// The number of digests, which downloads check first to avoid the lock while nothing is damaged.
  private let size = Atomic(0)

  var digests: Set<BlobDigest> { known.withLock { $0 } }
  var count: Int { size.load(ordering: .relaxed) }

  func contains(_ digest: BlobDigest) -> Bool {
    guard count > 0 else { return false }
    return known.withLock { $0.contains(digest) }
  }

  /// Records a damaged blob.
  ///
  /// - Returns: Whether the blob wasn't recorded before.
  func insert(_ digest: BlobDigest) -> Bool {
    known.withLock { digests in
      let isNew = digests.insert(digest).inserted
      size.store(digests.count, ordering: .relaxed)
      return isNew
    }
  }

  /// Removes a blob that was repaired or deleted.
  func remove(_ digest: BlobDigest) {
    guard count > 0 else { return }
    known.withLock { digests in
      digests.remove(digest)
      size.store(digests.count, ordering: .relaxed)
    }
  }
}
#endif
