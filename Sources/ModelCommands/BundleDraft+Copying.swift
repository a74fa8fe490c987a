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
  /// Copies the model into a bundle's folder and replaces links with the files they lead to.
  ///
  /// - Parameters:
  ///   - path: The .tflite file, or the folder of the SavedModel.
  ///   - folder: The bundle's folder.
  /// - Throws: ``TensorIOError``, or an error from the file system.
  func copyModel(at path: String, into folder: String) throws {
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
