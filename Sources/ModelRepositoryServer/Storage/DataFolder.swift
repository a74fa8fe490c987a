// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Where everything lies in a data folder.
struct DataFolder: Sendable {
  let path: String

  var database: String { path + "/meta.sqlite" }
  var blobs: String { path + "/blobs" }
  var uploads: String { path + "/uploads" }
  var quarantine: String { path + "/quarantine" }
  var keys: String { path + "/keys" }

  /// Makes the folders that are not there.
  func make() throws {
    for folder in [path, blobs + "/sha256", uploads, quarantine, keys] {
      try FileSystem.makeFolder(folder)
    }
    for folder in [blobs + "/sha256", blobs, path] { try FileSystem.flush(folder) }
  }
}
