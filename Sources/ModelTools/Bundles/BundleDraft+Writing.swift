// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BundleDraft {
  /// Writes the bundle's files into a folder.
  ///
  /// - Parameters:
  ///   - folder: An empty folder.
  ///   - modelPath: The model's file or folder.
  /// - Throws: An error from the file system.
  package func write(to folder: String, modelPath: String) throws {
    let files = FileManager.default
    try copyModel(at: modelPath, into: folder)
    try Data(manifest.text.utf8).write(to: URL(filePath: folder + "/model.json"))
    if !assets.isEmpty {
      try files.createDirectory(atPath: folder + "/assets", withIntermediateDirectories: false)
    }
    for asset in assets {
      try Data(asset.text.utf8).write(to: URL(filePath: folder + "/assets/" + asset.name))
    }
  }

  /// Copies the model into a bundle's folder and replaces links with the files they lead to.
  ///
  /// - Parameters:
  ///   - path: The .tflite file, or the folder of the SavedModel.
  ///   - folder: The bundle's folder.
  /// - Throws: ``TensorIOError``, or an error from the file system.
  private func copyModel(at path: String, into folder: String) throws {
    let destination = folder + "/" + modelFile
    guard FileSystem.isFolder(path) else {
      return try FileSystem.read(path).write(to: URL(filePath: destination))
    }
    for file in try SavedModelFile.all(in: path) {
      let target = URL(filePath: destination + "/" + file.name)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileSystem.read(path + "/" + file.name).write(to: target)
    }
  }
}
