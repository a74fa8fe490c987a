// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The kind of model at a path, judged by file names alone.
package enum ModelKind {
  /// A folder with the extension of a bundle, or with a model.json.
  case bundle
  /// A file, or a missing path, because only TensorFlow Lite models are single files.
  case liteRT
  /// A folder with a saved_model.pb.
  case savedModel

  /// - Throws: ``TensorIOError`` for any other folder, and for a file that is part of a SavedModel.
  package init(of path: String) throws {
    let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    if !FileSystem.isFolder(folder) {
      guard FileSystem.name(of: folder) != "saved_model.pb" else {
        throw TensorIOError(
          .invalidModel, "'\(path)' is part of a SavedModel. Pass the folder that contains it.")
      }
      self = .liteRT
    } else if folder.hasSuffix(".tiobundle") || folder.hasSuffix(".tfbundle") {
      self = .bundle
    } else if FileSystem.isFile(folder + "/saved_model.pb") {
      self = .savedModel
    } else if FileSystem.isFile(folder + "/model.json") {
      self = .bundle
    } else {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is a folder, but neither a bundle (it has no model.json) nor a SavedModel (it "
          + "has no saved_model.pb).")
    }
  }
}
