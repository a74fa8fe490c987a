// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import NIOCore
import NIOPosix
import StoredRows

extension Repository {
  /// Returns the models, sorted by name.
  func models() async throws -> [ModelList.Model] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT name, (SELECT COUNT(*) FROM versions WHERE model = name) AS versions
          FROM models ORDER BY name
          """
      ).map { row in
        let row = CheckedRow(row, of: .models)
        return ModelList.Model(name: try row.name("name"), versions: try row.integer("versions"))
      }
    }
  }

  /// Returns a model's versions, the newest first.
  func versions(of model: RepositoryName) async throws -> [VersionRecord] {
    try await database.read { database in
      try Self.checkModel(model, database)
      return try database.all(
        .versions, "WHERE model = ? ORDER BY sequence DESC", [model.text], Self.record)
    }
  }

  func version(_ version: RepositoryName, of model: RepositoryName) async throws -> VersionRecord {
    try await database.read { database in
      guard let record = try Self.version(version, of: model, database) else {
        throw Self.noVersion(version, model)
      }
      return record
    }
  }

  /// Publishes a version by its manifest's digest; its blobs have to be uploaded.
  ///
  /// Publishing the same version again isn't an error.
  ///
  /// - Returns: The version, and whether it is new.
  func publish(
    _ manifest: BlobDigest, of model: RepositoryName, by token: String?
  ) async throws -> (record: VersionRecord, isNew: Bool) {
    let (manifest, blob) = try await self.manifest(manifest, of: model)
    let now = now
    return try await database.write { [self] database in
      if let record = try Self.version(manifest.version, of: model, database) {
        guard record.manifest == blob else {
          throw Problem(
            .conflict, "version_exists",
            "Version '\(manifest.version)' of '\(model)' already has the manifest "
              + "\(record.manifest.digest), which can't be changed. Choose another version name.")
        }
        return (record, false)
      }
      // The manifest is checked again, because garbage collection may have deleted it meanwhile.
      var blobs = [blob.digest: blob.size]
      try Self.check(blob, "the manifest", database)
      for file in manifest.files {
        try Self.check(file.blob, "'\(file.path)'", database)
        blobs[file.digest] = file.size
      }
      try database.execute(
        sql: "INSERT INTO models (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING",
        arguments: [model.text, now])
      let last = try database.first(
        .versions, "WHERE model = ? ORDER BY sequence DESC LIMIT 1", [model.text]
      ) { try $0.integer("sequence") }
      let record = VersionRecord(
        version: manifest.version, sequence: (last ?? 0) + 1, manifest: blob, size: manifest.size,
        published: now)
      try Self.insert(record, of: model, blobs, database)
      try audit(database, token, "version.publish", "\(model)/\(record.version)", "\(blob.digest)")
      return (record, true)
    }
  }

  /// Withdraws a version, so that no channel can be set to it any more.
  ///
  /// Unless this is forced, the channels must not use it.
  func withdraw(
    _ version: RepositoryName, of model: RepositoryName, isForced: Bool, by token: String?
  ) async throws -> VersionRecord {
    try await database.write { [self] database in
      guard var record = try Self.version(version, of: model, database) else {
        throw Self.noVersion(version, model)
      }
      guard !record.isWithdrawn else { return record }
      let channels = try Self.channels(of: model, database).map(\.document)
        .filter { $0.releases.contains { $0.version == version } }.map(\.channel)
      guard isForced || channels.isEmpty else {
        throw Problem(
          .conflict, "version_in_use",
          "Version '\(version)' of '\(model)' is used by the "
            + "\(channels.count == 1 ? "channel" : "channels") "
            + "\(channels.map { "'\($0)'" }.joined(separator: ", ")). Set another version "
            + "there first.")
      }
      try database.execute(
        sql: "UPDATE versions SET withdrawn = 1 WHERE model = ? AND version = ?",
        arguments: [model.text, version.text])
      try audit(
        database, token, "version.withdraw", "\(model)/\(version)",
        channels.isEmpty
          ? nil : "forced; given by \(channels.map(\.text).joined(separator: " "))",
        before: "available", after: "withdrawn")
      record.isWithdrawn = true
      return record
    }
  }

  // MARK: - Rows

  /// Returns a version from its row; nil if it doesn't exist.
  static func version(
    _ version: RepositoryName, of model: RepositoryName, _ database: Database
  ) throws -> VersionRecord? {
    try database.first(
      .versions, "WHERE model = ? AND version = ?", [model.text, version.text], record)
  }

  static func checkModel(_ model: RepositoryName, _ database: Database) throws {
    let isThere = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM models WHERE name = ?)",
      arguments: [model.text])
    guard isThere == true else {
      throw Problem(.notFound, "model_not_found", "There is no model '\(model)'.")
    }
  }

  private static func noVersion(_ version: RepositoryName, _ model: RepositoryName) -> Problem {
    Problem(.notFound, "version_not_found", "There is no version '\(version)' of '\(model)'.")
  }

  static func record(_ row: CheckedRow) throws -> VersionRecord {
    var record = VersionRecord(
      version: try row.name("version"),
      sequence: try row.integer("sequence", in: 1...CheckedRow.maximum),
      manifest: BlobReference(
        digest: try row.digest("manifest_digest"), size: try row.integer("manifest_size")),
      size: try row.integer("size"), published: try row.time("published"))
    record.isWithdrawn = try row.flag("withdrawn")
    return record
  }

  private static func insert(
    _ record: VersionRecord, of model: RepositoryName, _ blobs: [BlobDigest: Int],
    _ database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO versions
          (model, version, sequence, manifest_digest, manifest_size, size, published)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        model.text, record.version.text, record.sequence, record.manifest.digest.hexadecimal,
        record.manifest.size, record.size, record.published,
      ])
    let statement = try database.cachedStatement(
      sql: "INSERT INTO version_blobs (model, version, digest, size) VALUES (?, ?, ?, ?)")
    for (digest, size) in blobs {
      try statement.execute(arguments: [model.text, record.version.text, digest.hexadecimal, size])
    }
  }

  private static func check(_ blob: BlobReference, _ name: String, _ database: Database) throws {
    guard let size = try database.blobSize(blob.digest) else {
      throw Problem(
        .unprocessableContent, "blob_missing",
        "The blob \(blob.digest) of \(name) is missing. Upload it first.")
    }
    guard size == blob.size else {
      throw Problem(
        .unprocessableContent, "wrong_size",
        "The manifest says that \(name) has \(blob.size) bytes, but its blob has \(size).")
    }
  }

  private func knowsBlob(_ digest: BlobDigest) async throws -> Bool {
    try await database.read { database in
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM blobs WHERE digest = ?)",
        arguments: [digest.hexadecimal])
    } ?? false
  }

  private func manifest(
    _ digest: BlobDigest, of model: RepositoryName
  ) async throws -> (VersionManifest, BlobReference) {
    let missing = Problem(
      .unprocessableContent, "blob_missing", "The manifest \(digest) is missing. Upload it first.")
    guard try await knowsBlob(digest), let content = try await blobs.open(digest) else {
      throw missing
    }
    func invalid(_ what: String) -> Problem {
      Problem(.unprocessableContent, "invalid_manifest", what)
    }
    guard (1...VersionManifest.maximumBytes).contains(content.size) else {
      throw invalid(
        "A manifest must have 1 to \(VersionManifest.maximumBytes) bytes, but this one has "
          + "\(content.size).")
    }
    let bytes: Data
    do {
      bytes = try await content.data()
    } catch let error as RepositoryError {
      // The blob was collected meanwhile: unlike a folder, a remote store doesn't keep a deleted
      // blob for its readers.
      guard try await knowsBlob(digest) else { throw missing }
      throw error
    }
    do {
      let manifest = try await NIOThreadPool.singleton.runIfActive {
        guard BlobDigest(of: bytes) == digest else {
          throw Problem(
            .internalServerError, "blob_damaged",
            "The blob is damaged. Run 'repository fsck', then upload the blob again.")
        }
        let manifest = try RepositoryJSON.decode(VersionManifest.self, from: bytes)
        try manifest.validate()
        return manifest
      }
      guard manifest.model == model else {
        throw invalid("The manifest belongs to the model '\(manifest.model)', not to '\(model)'.")
      }
      return (manifest, BlobReference(digest: digest, size: content.size))
    } catch let error as RepositoryError {
      throw invalid(error.message)
    } catch is DecodingError {
      throw invalid("The blob \(digest) isn't a manifest.")
    }
  }
}
#endif
