// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
import ModelRepositoryAPI
import TensorIO

/// One download of a model: its channel's document, and the manifest and files of this
/// installation's version.
struct ModelDownload: Sendable {
  /// Called with the verified document, which says which versions are unsafe, before files are
  /// fetched.
  var onSafety: @Sendable (TrustedDocument) -> Void = { _ in }
  var onProgress: @Sendable (DownloadProgress) -> Void = { _ in }
  let folder: ModelFolder
  let configuration: ModelRepositoryConfiguration
  let installationID: String
  let exchange: RepositoryExchange

  var cache: CacheFolder { folder.cache }
  var model: RepositoryName { folder.model }

  /// Downloads the newest version for this installation.
  ///
  /// - Throws: ``ModelRepositoryClientError``, ``FileError`` or `CancellationError`.
  func run() async throws -> InstalledModel.Version {
    // No state names the fetched files yet. The lock stops other processes from removing them as
    // unused.
    let claim = try await FileLock.waiting(.shared, on: cache.store)
    defer { withExtendedLifetime(claim) {} }
    for _ in 0..<5 {
      let document = try await currentDocument()
      onSafety(document)
      if let version = try await install(document) { return version }
      // Another process has recorded a newer document meanwhile.
    }
    throw ModelRepositoryClientError(
      .serverError,
      "Channel '\(configuration.channel)' of '\(model)' keeps changing during the download. Try "
        + "again later.")
  }

  // MARK: - Installing

  /// Returns the version, or nil if the document isn't the newest one any more.
  private func install(_ document: TrustedDocument) async throws -> InstalledModel.Version? {
    let state = try folder.readState()
    let present = Set([state.active, state.pending].compactMap { $0?.digest })
    let assignment = document.content.assignment(for: installationID, having: present)
    guard let release = assignment.release else {
      try await BlockingWork.run { try folder.withState { $0.pending = nil } }
      throw noVersion
    }
    guard !state.isQuarantined(release.manifest.digest) else { throw quarantined(release) }
    var entry = ModelState.Entry(
      release: release, format: .bundle, arm: assignment.arm, parameters: assignment.parameters,
      keys: document.signers)
    if present.contains(release.manifest.digest),
      let version = try await settle(entry, document, makingNew: false)
    {
      return version
    }
    let manifest = try await fetchManifest(release)
    entry.format = manifest.format
    try await fetchFiles(of: manifest)
    try Task.checkCancellation()
    return try await settle(entry, document, makingNew: true)
  }

  /// Records a version in the state, and returns nil if files are missing or the document isn't the
  /// newest one any more.
  private func settle(
    _ entry: ModelState.Entry, _ document: TrustedDocument, makingNew: Bool
  ) async throws -> InstalledModel.Version? {
    try await BlockingWork.run {
      try folder.withState { state in
        // Compare the whole content, because a stolen key may have signed another document of the
        // same version.
        let newest = state.channels[configuration.channel.text]
        guard try newest?.content() == document.content else { return nil }
        guard !state.isQuarantined(entry.digest) else { throw quarantined(entry.release) }
        var entry = entry
        if let known = state.entries.first(where: { $0.digest == entry.digest }) {
          (entry.format, entry.isProven) = (known.format, known.isProven)
          entry.keys?.formUnion(known.keys ?? [])
        } else if !makingNew {
          return nil
        }
        guard try folder.verify(entry) else { return nil }
        if state.active?.digest == entry.digest {
          state.active = entry
          state.pending = nil
        } else {
          state.pending = entry
        }
        return InstalledModel.Version(entry)
      }
    }
  }

  /// The error for a channel that has no version for this installation.
  var noVersion: ModelRepositoryClientError {
    ModelRepositoryClientError(
      .notFound,
      "Channel '\(configuration.channel)' of '\(model)' has no version for this installation.")
  }

  private func quarantined(_ release: ChannelDocument.Release) -> ModelRepositoryClientError {
    ModelRepositoryClientError(
      .quarantined,
      "Version '\(release.version)' of '\(model)' failed twice on this computer, so it is not "
        + "fetched again. Publish a better version, or delete the model to try this one again.")
  }

  // MARK: - Fetching

  private func fetchManifest(_ release: ChannelDocument.Release) async throws -> VersionManifest {
    let size = release.size
    guard size <= configuration.maximumBytes else {
      throw ModelRepositoryClientError(
        .tooLarge,
        "Version '\(release.version)' of '\(model)' has \(size) bytes, but the limit is "
          + "\(configuration.maximumBytes). To download it anyway, raise maximumBytes.")
    }
    onProgress(DownloadProgress(receivedBytes: 0, totalBytes: size))
    if try await BlockingWork.run({ try cache.manifest(release.manifest) == nil }) {
      try await fetch(release.manifest, "The manifest of '\(model)' \(release.version)") { _ in }
    }
    return try await BlockingWork.run {
      try manifest(FileSystem.read(cache.blob(release.manifest.digest)), of: release)
    }
  }

  /// Decodes and checks the manifest of a release, whose digest the caller has verified.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidDocument`.
  func manifest(_ bytes: Data, of release: ChannelDocument.Release) throws -> VersionManifest {
    func invalid(_ why: String) -> ModelRepositoryClientError {
      ModelRepositoryClientError(
        .invalidDocument, "The manifest of '\(model)' \(release.version) \(why).")
    }
    let manifest: VersionManifest
    do {
      manifest = try RepositoryJSON.decode(VersionManifest.self, from: bytes)
      try manifest.validate()
    } catch let error as RepositoryError {
      throw invalid("is invalid: \(error.message)")
    } catch {
      throw invalid("cannot be read: \(error)")
    }
    guard manifest.model == model, manifest.version == release.version else {
      throw invalid("describes '\(manifest.model)' \(manifest.version)")
    }
    guard manifest.size == release.size else {
      throw invalid("lists \(manifest.size) bytes, but the channel's document says \(release.size)")
    }
    return manifest
  }

  private func fetchFiles(of manifest: VersionManifest) async throws {
    let missing = try await BlockingWork.run {
      var seen: Set<BlobDigest> = []
      let missing = try manifest.files.filter {
        try !cache.hasBlob($0.blob) && seen.insert($0.digest).inserted
      }
      let partial = try FileSystem.contents(of: cache.partial)
      let started = partial.filter { name in
        !name.hasSuffix(".etag") && seen.contains { name.hasPrefix($0.hexadecimal + ".") }
      }
      let begun = started.reduce(0) { sum, name in
        sum + ((try? CacheFile.reading("\(cache.partial)/\(name)").status.size) ?? 0)
      }
      let needed = missing.reduce(0) { $0 + $1.size } - begun
      let available = try cache.environment.availableBytes(cache.path)
      guard needed <= available else {
        throw ModelRepositoryClientError.diskFull(
          needed: needed, available: available, "Version '\(manifest.version)' of '\(model)'")
      }
      return missing
    }
    // A file that appears twice is fetched once, but counts twice in the progress.
    var counts: [BlobDigest: Int] = [:]
    for file in manifest.files { counts[file.digest, default: 0] += 1 }
    var done = manifest.size - missing.reduce(0) { $0 + $1.size * counts[$1.digest, default: 1] }
    for file in missing {
      let (before, count) = (done, counts[file.digest, default: 1])
      try await fetch(file.blob, "'\(file.path)' of '\(model)' \(manifest.version)") { received in
        onProgress(
          DownloadProgress(
            receivedBytes: before + received * count, totalBytes: manifest.size, file: file.path))
      }
      done += file.size * count
    }
    onProgress(DownloadProgress(receivedBytes: done, totalBytes: manifest.size))
  }

  private func fetch(
    _ blob: BlobReference, _ name: String, _ onProgress: @escaping @Sendable (Int) -> Void
  ) async throws {
    try await BlobDownload(
      cache: cache, exchange: exchange, blob: blob, name: name, onProgress: onProgress
    ).run()
  }
}

/// The progress of a model's download.
///
/// The total is known from the start, because the sizes are signed and no server can change them.
public struct DownloadProgress: Sendable, Hashable {
  /// The number of bytes on disk, including the bytes of earlier downloads.
  public var receivedBytes: Int
  /// The total size of the version's files, in bytes.
  public var totalBytes: Int
  /// The file that is being downloaded, or nil before the first and after the last.
  public var file: String?
}
#endif
