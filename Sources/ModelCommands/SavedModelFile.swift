// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// One of a SavedModel's files.
struct SavedModelFile {
  /// The path in the folder.
  var name: String
  var byteCount: Int

  /// The files of a folder, by name, without hidden ones.
  static func all(in folder: String) throws -> [SavedModelFile] {
    try names(in: folder, prefix: "").sorted().map { name in
      SavedModelFile(name: name, byteCount: try byteCount(of: folder + "/" + name))
    }
  }

  /// The size of a file, or of what a link leads to.
  private static func byteCount(of path: String) throws -> Int {
    guard let count = FileSystem.byteCount(of: path) else {
      throw TensorIOError(.unreadableFile, "'\(path)' cannot be read.")
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
