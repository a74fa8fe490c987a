// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The limits on the content of a zip file.
///
/// The defaults allow every model that people run on phones, and keep a file of a few bytes from
/// filling a disk.
package struct ArchiveLimits: Hashable, Sendable {
  /// The maximum number of entries, including folders and files that aren't unpacked.
  package var entries = 10_000
  /// The maximum total size of all unpacked files, in bytes.
  package var bytes = 1 << 30
  /// The maximum ratio of a file's unpacked size to its compressed size.
  package var ratio = 200
  /// The size in bytes up to which ``ratio`` is ignored, because small repetitive files compress
  /// very well.
  package var bytesOfAnyRatio = 10 << 20
  /// The maximum size of a model.json in bytes, because it is parsed in memory.
  package var manifestBytes = 4 << 20
  /// The maximum size in bytes of a file in the bundle's assets folder, because labels are read
  /// into memory.
  package var assetBytes = 16 << 20
  /// The maximum number of components in a file's path, including the file's name.
  package var depth = 16
  /// The maximum length of a file's or folder's name, in bytes.
  package var nameBytes = 255

  /// Creates the default limits.
  package init() {}
}
