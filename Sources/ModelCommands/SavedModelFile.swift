// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A file of a SavedModel.
struct SavedModelFile {
  /// The path within the folder.
  var name: String
  var byteCount: Int

  /// Returns the files of a folder without hidden ones, sorted by name.
  static func all(in folder: String) throws -> [SavedModelFile] {
    try names(in: folder, prefix: "").sorted().map { name in
      SavedModelFile(name: name, byteCount: try byteCount(of: folder + "/" + name))
    }
  }

  /// Returns the size of a file, or of the file that a link leads to.
  private static func byteCount(of path: String) throws -> Int {
    guard let count = FileSystem.byteCount(of: path) else {
      throw TensorIOError(.unreadableFile, "'\(path)' can't be read.")
    }
    return count
  }

  private static func names(in folder: String, prefix: String) throws -> [String] {
    try FileSystem.contents(of: folder).filter { !$0.hasPrefix(".") }.flatMap { name in
      FileSystem.isFolder(folder + "/" + name)
        ? try names(in: folder + "/" + name, prefix: prefix + name + "/") : [prefix + name]
    }
  }
}
