// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import GRDB
import ModelRepositoryAPI
import NIOCore

extension Repository {
  /// Looks for what is missing or damaged; see ``RepositoryStore/fsck(rehash:)``.
  func checkIntegrity(rehash: Bool) async throws -> IntegrityReport {
    try await blobs.check()
    var report = IntegrityReport()
    report.lost = lost
    report.database = try await database.read { database in
      try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
    }
    let rows = try await database.read { database in
      try Row.fetchAll(database, sql: "SELECT digest, size FROM blobs ORDER BY digest").compactMap {
        row in
        BlobDigest("sha256:" + (row["digest"] as String)).map {
          BlobReference(digest: $0, size: row["size"])
        }
      }
    }
    for blob in rows {
      report.blobs += 1
      report.bytes += blob.size
      try await check(blob, rehash: rehash, &report)
    }
    let known = Set(rows.map(\.digest))
    report.orphans = try await blobs.list().map(\.blob.digest).filter { !known.contains($0) }
      .map(\.description).sorted()
    let keys = keys.map(\.verificationKey)
    let (missing, untrusted) = try await database.read { database in
      let models = try String.fetchAll(database, sql: "SELECT name FROM models ORDER BY name")
      let untrusted = try models.compactMap { RepositoryName($0) }.flatMap { model in
        try Self.channels(of: model, database).filter { !Self.isSigned($0, by: keys) }
          .map { "\(model)/\($0.channel)" }
      }
      return (try Self.missingBlobs(database), untrusted)
    }
    report.missing = missing
    report.untrusted = untrusted
    return report
  }

  private func check(
    _ blob: BlobReference, rehash: Bool, _ report: inout IntegrityReport
  ) async throws {
    let name = blob.digest.description
    guard let content = try await blobs.open(blob.digest) else {
      try await forget(blob.digest)
      report.lost.append(name)
      return
    }
    if content.size != blob.size {
      try await quarantine(blob.digest)
      report.wrongSizes.append(name)
    } else if rehash {
      var hash = SHA256()
      try await content.forEachPiece(in: 0..<content.size) {
        hash.update(data: Data($0.readableBytesView))
      }
      guard BlobDigest(hash.finalize()) != blob.digest else { return }
      try await quarantine(blob.digest)
      report.wrongDigests.append(name)
    }
  }

  /// First the row, then the file: never a row alone.
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

  private static func isSigned(_ state: ChannelState, by keys: [VerificationKey]) -> Bool {
    let signed = try? RepositoryJSON.decode(SignedDocument.self, from: state.signed)
    return (try? signed?.verified(by: keys)) != nil
  }
}
