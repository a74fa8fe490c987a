// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI

/// The state of a model, which is saved as its `state.json`.
struct ModelState: Sendable, Hashable, Codable {
  /// A version in the cache.
  struct Entry: Sendable, Hashable, Codable {
    var release: ChannelDocument.Release
    var format: VersionManifest.Format
    var arm: RepositoryName?
    var parameters: [String: String]
    /// Whether it was loaded successfully before.
    var isProven = false
    /// The ids of the keys that signed for it, or nil if they weren't recorded.
    var keys: Set<String>?

    var digest: BlobDigest { release.manifest.digest }

    /// Whether, as far as is known, only the given keys ever signed for it.
    func isVouchedFor(onlyBy ids: Set<String>) -> Bool {
      guard let keys, !keys.isEmpty else { return false }
      return keys.isSubset(of: ids)
    }

    /// The name of its folder or file.
    var name: String { "\(digest.hexadecimal).\(format.rawValue)" }
  }

  /// The newest document of a channel.
  struct Channel: Sendable, Hashable, Codable {
    var documentVersion: Int
    var etag: String?
    var document: SignedDocument
    /// The newest document version that each key signed, by the key's id, or nil if they weren't
    /// recorded.
    ///
    /// Versions are counted for each key, so documents signed with a stolen key stop mattering when
    /// the key is replaced.
    var versions: [String: Int]?

    /// Returns the newest version that any of the keys signed.
    func version(seenBy keys: [VerificationKey]) -> Int {
      let versions = versions(seenBy: keys)
      return keys.compactMap { versions[$0.id] }.max() ?? 0
    }

    /// Returns the newest version for each key, also for a cache that didn't record them.
    func versions(seenBy keys: [VerificationKey]) -> [String: Int] {
      if let versions { return versions }
      return Dictionary(
        uniqueKeysWithValues: Set(document.signers(among: keys).map(\.id)).map {
          ($0, documentVersion)
        })
    }

    /// Decodes the document, which was verified before it was saved.
    func content() throws -> ChannelDocument {
      try RepositoryJSON.decode(ChannelDocument.self, from: document.document)
    }
  }

  /// The attempts to load a version that isn't proven.
  struct Attempts: Sendable, Hashable, Codable {
    /// The number of failed attempts.
    var failed = 0
    /// The running attempts, as names of files that stay locked while the process lives.
    var running: [String] = []
  }

  /// The version of the file's layout.
  var layout = 1
  var model: RepositoryName
  /// The newest document of each channel, by the channel's name.
  var channels: [String: Channel] = [:]
  var active: Entry?
  var previous: Entry?
  var pending: Entry?
  var quarantined: [ChannelDocument.Release] = []
  /// The attempts, by the 64 hexadecimal digits of the manifest's digest.
  var attempts: [String: Attempts] = [:]
  /// The newest version that was deleted because it was unsafe.
  var deletedAsUnsafe: ChannelDocument.Release?

  init(model: RepositoryName) { self.model = model }

  /// The versions in the cache, with the pending one first.
  var entries: [Entry] { [pending, active, previous].compactMap { $0 } }

  func isQuarantined(_ digest: BlobDigest) -> Bool {
    quarantined.contains { $0.manifest.digest == digest }
  }

  /// Removes a version, and makes the previous version active if the active one was removed.
  mutating func remove(_ digest: BlobDigest) {
    if pending?.digest == digest { pending = nil }
    if previous?.digest == digest { previous = nil }
    if active?.digest == digest {
      active = previous
      previous = nil
    }
  }

  /// Removes versions whose sequence is below the lowest safe one.
  mutating func removeUnsafe(below sequence: Int) {
    for entry in entries where entry.release.sequence < sequence {
      remove(entry.digest)
      if deletedAsUnsafe.map({ $0.sequence < entry.release.sequence }) ?? true {
        deletedAsUnsafe = entry.release
      }
    }
  }

  /// Removes versions that only revoked keys ever signed for, but not those whose manifests the
  /// current document names, because a trusted key signed it.
  mutating func removeRevoked(_ revoked: Set<String>, but named: Set<BlobDigest>) {
    for entry in entries where !named.contains(entry.digest) {
      if entry.isVouchedFor(onlyBy: revoked) { remove(entry.digest) }
    }
  }

  /// Removes a version and bars it from use until the model is deleted.
  mutating func quarantine(_ entry: Entry) {
    remove(entry.digest)
    attempts[entry.digest.hexadecimal] = nil
    if !isQuarantined(entry.digest) { quarantined.append(entry.release) }
  }

  /// Changes all entries of a version.
  mutating func update(_ digest: BlobDigest, _ change: (inout Entry) -> Void) {
    for slot in [\ModelState.pending, \.active, \.previous] {
      if var entry = self[keyPath: slot], entry.digest == digest {
        change(&entry)
        self[keyPath: slot] = entry
      }
    }
  }
}

extension InstalledModel.Version {
  init(_ entry: ModelState.Entry) {
    self.init(
      version: entry.release.version, sequence: entry.release.sequence, manifest: entry.digest,
      format: entry.format, size: entry.release.size, arm: entry.arm,
      parameters: entry.parameters, isProven: entry.isProven)
  }
}
#endif
