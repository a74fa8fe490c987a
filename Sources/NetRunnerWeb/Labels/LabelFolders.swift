// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import Synchronization
import TensorIO

/// The folders of labelled photos, one for each model.
final class LabelFolders: Sendable {
  private let root: String
  /// Keeps the temporary folder as long as it is used.
  let scratch: ScratchFolder
  private let folders = Mutex<[String: LabelFolder]>([:])

  init(dataFolder: String?, scratch: ScratchFolder) {
    root = (dataFolder ?? scratch.path) + "/labels"
    self.scratch = scratch
  }

  /// Returns a model's folder, creating it if it is missing, and blocks the calling thread.
  func folder(for model: String) throws -> LabelFolder {
    try folders.withLock { folders in
      if let folder = folders[model] { return folder }
      let folder = try LabelFolder(root + "/" + Self.name(for: model), for: model)
      folders[model] = folder
      return folder
    }
  }

  /// Returns a model's folder, or nil if it has no labels yet.
  func existingFolder(for model: String) throws -> LabelFolder? {
    guard FileSystem.isFile("\(root)/\(Self.name(for: model))/labels.sqlite") else { return nil }
    return try folder(for: model)
  }

  /// Returns a model's folder name: its identifier if every file system accepts it, otherwise its
  /// hash.
  private static func name(for model: String) -> String {
    let isPlain =
      model.utf8.count <= 100
      && model.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
    guard !isPlain else { return model }
    // A plain identifier has no full stop, so it can't be the same as a hash.
    return "sha256." + BlobDigest(of: model.utf8).hexadecimal.prefix(32)
  }
}
#endif
