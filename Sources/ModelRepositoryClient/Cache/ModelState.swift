// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI

/// What is known of a model: the content of its `state.json`.
struct ModelState: Sendable, Hashable, Codable {
  /// A version in the cache.
  struct Entry: Sendable, Hashable, Codable {
    var release: ChannelDocument.Release
    var format: VersionManifest.Format
    var arm: RepositoryName?
    var parameters: [String: String]
    /// Whether it was loaded once.
    var isProven = false
    /// The ids of the keys that vouched for it; nil where nobody took note.
    var keys: Set<String>?

    var digest: BlobDigest { release.manifest.digest }

    /// Whether nobody but some keys ever vouched for it, as far as is known.
    func isVouchedFor(onlyBy ids: Set<String>) -> Bool {
      guard let keys, !keys.isEmpty else { return false }
      return keys.isSubset(of: ids)
    }

    /// The name of its folder, or file.
    var name: String { "\(digest.hexadecimal).\(format.rawValue)" }
  }

  /// The newest document of a channel.
  struct Channel: Sendable, Hashable, Codable {
    var documentVersion: Int
    var etag: String?
    var document: SignedDocument
    /// The newest versions that were seen, by the id of the key that signed; nil where nobody took
    /// note.
    ///
    /// They count by key: what a thief signed does not matter any more when the key is replaced.
    var versions: [String: Int]?

    /// The newest version that keys signed.
    func version(seenBy keys: [VerificationKey]) -> Int {
      let versions = versions(seenBy: keys)
      return keys.compactMap { versions[$0.id] }.max() ?? 0
    }

    /// The newest versions by key, of an older cache too.
    func versions(seenBy keys: [VerificationKey]) -> [String: Int] {
      if let versions { return versions }
      return Dictionary(
        uniqueKeysWithValues: Set(document.signers(among: keys).map(\.id)).map {
          ($0, documentVersion)
        })
    }

    /// The document, which was verified before it was kept.
    func content() throws -> ChannelDocument {
      try RepositoryJSON.decode(ChannelDocument.self, from: document.document)
    }
  }

  /// What came of loading a version that is not proven.
  struct Attempts: Sendable, Hashable, Codable {
    /// How many attempts failed.
    var failed = 0
    /// Attempts under way: names of files that are locked as long as the process lives.
    var running: [String] = []
  }

  /// The layout of this file.
  var layout = 1
  var model: RepositoryName
  /// By the channel's name.
  var channels: [String: Channel] = [:]
  var active: Entry?
  var previous: Entry?
  var pending: Entry?
  var quarantined: [ChannelDocument.Release] = []
  /// By the manifest's 64 digits.
  var attempts: [String: Attempts] = [:]
  /// The newest version that was deleted because it is unsafe.
  var deletedAsUnsafe: ChannelDocument.Release?

  init(model: RepositoryName) { self.model = model }

  /// What is in the cache, the most wanted first.
  var entries: [Entry] { [pending, active, previous].compactMap { $0 } }

  func isQuarantined(_ digest: BlobDigest) -> Bool {
    quarantined.contains { $0.manifest.digest == digest }
  }

  /// Removes a version from all places.
  mutating func remove(_ digest: BlobDigest) {
    if pending?.digest == digest { pending = nil }
    if previous?.digest == digest { previous = nil }
    if active?.digest == digest {
      active = previous
      previous = nil
    }
  }

  /// Removes versions below the oldest safe one.
  mutating func removeUnsafe(below sequence: Int) {
    for entry in entries where entry.release.sequence < sequence {
      remove(entry.digest)
      if deletedAsUnsafe.map({ $0.sequence < entry.release.sequence }) ?? true {
        deletedAsUnsafe = entry.release
      }
    }
  }

  /// Removes versions that only revoked keys ever vouched for.
  ///
  /// - Parameters:
  ///   - revoked: The ids of the keys.
  ///   - named: Manifests that a trusted key vouches for now.
  mutating func removeRevoked(_ revoked: Set<String>, but named: Set<BlobDigest>) {
    for entry in entries where !named.contains(entry.digest) {
      if entry.isVouchedFor(onlyBy: revoked) { remove(entry.digest) }
    }
  }

  /// Never to be used again, unless the model is deleted.
  mutating func quarantine(_ entry: Entry) {
    remove(entry.digest)
    attempts[entry.digest.hexadecimal] = nil
    if !isQuarantined(entry.digest) { quarantined.append(entry.release) }
  }

  /// Changes the entries of a version.
  mutating func update(_ digest: BlobDigest, _ change: (inout Entry) -> Void) {
    for place in [\ModelState.pending, \.active, \.previous] {
      if var entry = self[keyPath: place], entry.digest == digest {
        change(&entry)
        self[keyPath: place] = entry
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
