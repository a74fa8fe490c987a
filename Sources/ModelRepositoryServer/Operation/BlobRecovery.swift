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

/// Has the blobs that a repository's own ones are copies of, or that are copies of them.
public protocol BlobMirror: Sendable {
  /// What the log calls it, as its address.
  var name: String { get }

  /// Downloads a blob into a new file.
  ///
  /// The bytes are checked afterwards: a mirror need not be trusted.
  ///
  /// - Parameters:
  ///   - blob: The blob; nothing is written that is longer.
  ///   - file: The file's path.
  /// - Throws: Any error, which is logged.
  func download(_ blob: BlobReference, to file: String) async throws
}

/// Fetches blobs that were damaged or lost again from a mirror.
struct BlobRecovery: Sendable {
  let repository: Repository
  let mirror: any BlobMirror
  let logger: Logger
  /// How often is looked for blobs that are damaged.
  var pause = Duration.seconds(1)
  /// After how long a blob is asked for again that the mirror did not give.
  var retry = Duration.seconds(600)

  /// Fetches until the task is cancelled.
  func run() async {
    // What versions named at the start, and was not there.
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

  /// Fetches a blob, and puts it in the place of the one that is damaged.
  ///
  /// - Returns: Whether it is whole, or nobody needs it any more.
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
        throw RepositoryError(.storage, "It sent other bytes, whose digest is \(found).")
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

  /// What the database knows of a blob; a version's rows still name one whose own row is gone.
  private func reference(to digest: BlobDigest) async throws -> BlobReference? {
    try await repository.database.read { database in
      do {
        if let size = try database.blobSize(digest) {
          return BlobReference(digest: digest, size: size)
        }
      } catch is DamagedRow {
        // The rows of versions have the size, too.
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
