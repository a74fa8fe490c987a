// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
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
  /// The problems with the database's file and its tables, as sentences.
  public var database: [String] = []
  /// The problems with the database's rows, as sentences.
  public var rows: [String] = []

  /// Whether nothing is damaged or missing; orphans and outdated documents are harmless.
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
