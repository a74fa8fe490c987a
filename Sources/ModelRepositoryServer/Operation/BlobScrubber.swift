// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import Logging
import ModelRepositoryAPI
import NIOCore
import StoredRows

/// Reads all blobs again and again, slowly, to find those that were damaged at rest.
///
/// A disk can change bytes without an error, and large blobs are sent without being hashed. A blob
/// that is found damaged is answered with 500 from then on; uploading it again replaces it.
struct BlobScrubber: Sendable {
  let repository: Repository
  let metrics: ServerMetrics
  let logger: Logger
  /// How many bytes are read in a second.
  let rate: Int
  /// The pause between two rounds, and after a failure.
  var pause = Duration.seconds(3600)

  /// Reads until the task is cancelled.
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
  ///
  /// - Throws: What the database throws, and `CancellationError`.
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

  /// The blob after a digest; rows that are damaged are left to requests and to `fsck`.
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
    guard let content = try await repository.blobs.open(blob.digest) else {
      return try await isSound(blob, nil)
    }
    guard content.size == blob.size else { return try await isSound(blob, nil) }
    var hash = SHA256()
    for try await piece in try await content.pieces(in: 0..<content.size) {
      piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
      metrics.scrubbed(piece.readableBytes)
      try await Task.sleep(for: .seconds(Double(piece.readableBytes) / Double(max(rate, 1))))
    }
    return try await isSound(blob, BlobDigest(hash.finalize()))
  }

  /// Notes what was found; nil for bytes that are missing or too many.
  private func isSound(_ blob: BlobReference, _ found: BlobDigest?) async throws -> Bool {
    if found == blob.digest {
      repository.damagedBlobs.remove(blob.digest)
      return true
    }
    // Deleted, or replaced, while it was read?
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
#endif
