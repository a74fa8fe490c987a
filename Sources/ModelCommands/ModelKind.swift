// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// What a path leads to, by its names alone.
enum ModelKind {
  /// A folder that is called a bundle, or has a model.json.
  case bundle
  /// A file, or nothing: only TensorFlow Lite's models are files.
  case liteRT
  /// A folder with a saved_model.pb.
  case savedModel

  /// Tells what a path leads to.
  ///
  /// - Throws: ``TensorIOError`` for a folder that is none of them, and for a SavedModel's file.
  init(of path: String) throws {
    let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    if !FileSystem.isFolder(folder) {
      guard FileSystem.name(of: folder) != "saved_model.pb" else {
        throw TensorIOError(
          .invalidModel, "'\(path)' is a part of a SavedModel; pass the folder that it lies in.")
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
