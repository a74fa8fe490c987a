// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import GRDB
import ModelRepositoryAPI
import NIOCore
import WebServing

extension Repository {
  /// Looks for missing and damaged data; see ``RepositoryStore/fsck(rehash:)``.
  func checkIntegrity(rehash: Bool) async throws -> IntegrityReport {
    try await blobs.check()
    let keys = try trustedKeys
    let formerKeys = signing.roots.namedKeys
    var checks = try await database.read { DatabaseChecks($0, keys, formerKeys: formerKeys) }
    checks.report.database = lostChanges + checks.report.database
    checks.report.lost = lost
    for blob in checks.blobs { try await check(blob, rehash: rehash, &checks.report) }
    if rehash || blobs is FolderBlobStore { try await checkManifests(&checks) }
    try await checkAverages(&checks, rehash: rehash)
    var report = checks.report
    let digests = Set(checks.blobs.map(\.digest))
    report.orphans = try await blobs.list().map(\.blob.digest).filter { !digests.contains($0) }
      .map(\.description).sorted()
    // This comes last, because the steps above delete the rows of lost and damaged blobs.
    report.missing = try await database.read { database in
      do {
        // The checks above have already reported the damaged rows.
        var faults: [String] = []
        return try Self.missingBlobs(database, faults: &faults)
      } catch is DatabaseError {
        return []
      }
    }
    return report
  }

  /// Checks the files of the averages of rounds that have finished.
  private func checkAverages(_ checks: inout DatabaseChecks, rehash: Bool) async throws {
    for round in checks.rounds where round.state == .finished {
      let path = folder.average(of: round.task)
      let isIntact = try await RepositoryCopy.blocking {
        guard let size = try FileSystem.size(of: path) else { return false }
        guard rehash, let digest = round.average else { return true }
        return BlobDigest(try UploadFile.hash(of: path, count: size).finalize()) == digest
      }
      guard !isIntact else { continue }
      checks.report.averages.append("\(round.task.model)/\(round.task.round)")
    }
  }

  /// Compares the rows of versions with their manifests, which can't change because they are
  /// verified by their digests.
  private func checkManifests(_ checks: inout DatabaseChecks) async throws {
    for version in checks.versions {
      let record = version.record
      guard let content = try await blobs.open(record.manifest.digest),
        content.size == record.manifest.size, content.size <= VersionManifest.maximumBytes
      else { continue }
      let bytes = try await content.data()
      guard BlobDigest(of: bytes) == record.manifest.digest else { continue }
      let name = "The version '\(record.version)' of the model '\(version.model)'"
      do {
        let manifest = try RepositoryJSON.decode(VersionManifest.self, from: bytes)
        try manifest.validate()
        var wanted = [record.manifest.digest: record.manifest.size]
        for file in manifest.files { wanted[file.digest] = file.size }
        let isSame =
          manifest.model == version.model && manifest.version == record.version
          && manifest.size == record.size && wanted == version.blobs
        if !isSame { checks.report.rows.append("\(name) doesn't match its manifest.") }
      } catch is DecodingError {
        checks.report.rows.append("\(name) has a manifest that cannot be read.")
      } catch let error as RepositoryError {
        checks.report.rows.append("\(name) has a manifest that isn't valid: \(error.message)")
      }
    }
  }

  private func check(
    _ blob: BlobReference, rehash: Bool, _ report: inout IntegrityReport
  ) async throws {
    let name = blob.digest.description
    report.blobs += 1
    report.bytes += blob.size
    guard let content = try await blobs.open(blob.digest) else {
      try await forget(blob.digest)
      report.lost.append(name)
      return
    }
    if content.size != blob.size {
      try await quarantine(blob.digest)
      report.wrongSizes.append(name)
    } else if rehash {
      guard try await content.digest() != blob.digest else { return }
      try await quarantine(blob.digest)
      report.wrongDigests.append(name)
    }
  }

  /// Moves a blob to the quarantine.
  ///
  /// The row is deleted before the file is moved, so that a row never exists without its file.
  private func quarantine(_ digest: BlobDigest) async throws {
    try await commits.withLock(digest) {
      try await forget(digest)
      try await blobs.quarantine(digest)
    }
  }

  private func forget(_ digest: BlobDigest) async throws {
    try await database.write {
      try $0.execute(sql: "DELETE FROM blobs WHERE digest = ?", arguments: [digest.hexadecimal])
    }
  }

  static func isSigned(_ state: ChannelState, by keys: [VerificationKey]) -> Bool {
    let signed = try? RepositoryJSON.decode(SignedDocument.self, from: state.signed)
    return (try? signed?.verified(by: keys)) != nil
  }
}

extension BlobContent {
  /// Reads and hashes all bytes, and calls a closure with the size of each piece.
  func digest(_ read: (Int) async throws -> Void = { _ in }) async throws -> BlobDigest {
    var hash = SHA256()
    try await forEachPiece(in: 0..<size) { piece in
      piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
      try await read(piece.readableBytes)
    }
    return BlobDigest(hash.finalize())
  }
}

/// The result of ``RepositoryStore/fsck(rehash:)``.
public struct IntegrityReport: Sendable, Hashable, Codable {
  /// The number of blobs that were checked.
  public var blobs = 0
  /// The total size of these blobs in bytes.
  public var bytes = 0
  /// The blobs whose file is missing; their rows were deleted.
  public var lost: [String] = []
  /// The blobs whose file had another size; they were moved to the quarantine.
  public var wrongSizes: [String] = []
  /// The blobs whose bytes had another digest; they were moved to the quarantine.
  public var wrongDigests: [String] = []
  /// The files that belong to no blob in the database; garbage collection deletes them.
  public var orphans: [String] = []
  /// The blobs that versions refer to and that are missing after these steps.
  public var missing: [MissingBlob] = []
  /// The channels, as `MODEL/CHANNEL`, whose newest document none of the keys signed.
  public var untrusted: [String] = []
  /// The channels, as `MODEL/CHANNEL`, whose newest document was signed by a key that was replaced
  /// since.
  ///
  /// The server signs them again.
  public var outdated: [String] = []
  /// The rounds, as `MODEL/ROUND`, whose average is missing or damaged.
  public var averages: [String] = []
  /// The problems with the database's file and its tables, as sentences.
  public var database: [String] = []
  /// The problems with the database's rows, as sentences.
  public var rows: [String] = []

  /// Whether nothing is damaged or missing; orphans and outdated documents are harmless.
  public var isSound: Bool {
    lost.isEmpty && wrongSizes.isEmpty && wrongDigests.isEmpty && missing.isEmpty
      && untrusted.isEmpty && averages.isEmpty && database.isEmpty && rows.isEmpty
  }

  enum CodingKeys: String, CodingKey {
    case blobs, bytes, lost, orphans, missing, untrusted, outdated, averages, database, rows
    case wrongSizes = "wrong_sizes"
    case wrongDigests = "wrong_digests"
  }
}
#endif
