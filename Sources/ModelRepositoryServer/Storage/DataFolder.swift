// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// The paths in a data folder.
struct DataFolder: Sendable {
  let path: String

  var database: String { path + "/meta.sqlite" }
  /// The file with the number of changes in the database; see ``CommitWitness``.
  var commits: String { path + "/COMMITS" }
  var blobs: String { path + "/blobs" }
  var uploads: String { path + "/uploads" }
  var quarantine: String { path + "/quarantine" }
  var keys: String { path + "/keys" }
  /// The folder of the signed root documents, which are public.
  var roots: String { path + "/roots" }
  var note: String { path + "/blobs.json" }

  /// Creates the folders that don't exist.
  ///
  /// - Parameter hasBlobs: Whether the folder contains the blobs.
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  func make(hasBlobs: Bool = true) throws {
    let ofBlobs = hasBlobs ? [blobs + "/sha256", quarantine] : []
    for folder in [path, uploads, keys, roots] + ofBlobs { try FileSystem.makeFolder(folder) }
    for folder in (hasBlobs ? [blobs + "/sha256", blobs] : []) + [path] {
      try FileSystem.flush(folder)
    }
  }
}
#endif
