// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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

    var digest: BlobDigest { release.manifest.digest }
    /// The name of its folder, or file.
    var name: String { "\(digest.hexadecimal).\(format.rawValue)" }
  }

  /// The newest document of a channel.
  struct Channel: Sendable, Hashable, Codable {
    var documentVersion: Int
    var etag: String?
    var document: SignedDocument
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
