// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a zip file may hold at most.
///
/// The defaults let every model pass that people run on phones, and keep a file of a few bytes from
/// filling a disk.
public struct ArchiveLimits: Hashable, Sendable {
  /// The number of entries, folders and files that are left out among them.
  public var entries = 10_000
  /// The bytes of all files together, unpacked.
  public var bytes = 1 << 30
  /// How many times larger than its packed form a file may be.
  public var ratio = 200
  /// The bytes of a file up to which ``ratio`` does not matter: a short text may well be that empty.
  public var bytesOfAnyRatio = 10 << 20
  /// The bytes of a model.json, which is parsed in memory.
  public var manifestBytes = 4 << 20
  /// The bytes of a file in the bundle's assets folder; labels are read into memory.
  public var assetBytes = 16 << 20
  /// The number of folders on the way to a file, and the file.
  public var depth = 16
  /// The bytes of a file's or folder's name.
  public var nameBytes = 255

  /// Makes the default limits.
  public init() {}
}
