// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// What ``RepositoryStore/fsck(rehash:)`` found.
public struct IntegrityReport: Sendable, Hashable, Codable {
  /// How many blobs were looked at.
  public var blobs = 0
  /// How many bytes they have.
  public var bytes = 0
  /// Blobs without a file; they are forgotten now.
  public var lost: [String] = []
  /// Blobs whose file had another size; they are in quarantine now.
  public var wrongSizes: [String] = []
  /// Blobs whose bytes had another digest; they are in quarantine now.
  public var wrongDigests: [String] = []
  /// Files that are no blob of the database's; garbage collection takes them.
  public var orphans: [String] = []
  /// What versions name and is not there, after all of that.
  public var missing: [MissingBlob] = []
  /// Channels, as `MODEL/CHANNEL`, whose newest document none of the keys signed.
  public var untrusted: [String] = []
  /// Channels, as `MODEL/CHANNEL`, whose newest document a key signed that was replaced since.
  ///
  /// The server signs them again.
  public var outdated: [String] = []
  /// What is wrong with the database's file and its tables, in sentences.
  public var database: [String] = []
  /// What is wrong with the database's rows, in sentences.
  public var rows: [String] = []

  /// Whether nothing is damaged or missing; orphans and outdated documents do no harm.
  public var isSound: Bool {
    lost.isEmpty && wrongSizes.isEmpty && wrongDigests.isEmpty && missing.isEmpty
      && untrusted.isEmpty && database.isEmpty && rows.isEmpty
  }

  enum CodingKeys: String, CodingKey {
    case blobs, bytes, lost, orphans, missing, untrusted, outdated, database, rows
    case wrongSizes = "wrong_sizes"
    case wrongDigests = "wrong_digests"
  }
}
#endif
