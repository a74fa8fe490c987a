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
import Synchronization

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
          .storage, "The mirror sent different bytes, which have the digest \(found).")
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
