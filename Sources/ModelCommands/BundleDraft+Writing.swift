// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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
  func write(to folder: String, modelPath: String) throws {
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
}

extension BundleWriter {
  /// Checks that the destination can be written.
  ///
  /// A destination that exists already is a usage error.
  ///
  /// - Parameter hint: What the user can do about an existing folder.
  /// - Throws: `ValidationError` if the destination exists, `TensorIOError` if it can't be written.
  func checkArgument(hint: String) throws {
    do {
      try checkDestination()
    } catch let error as TensorIOError where error.code == .fileExists {
      let isFolder = FileSystem.isFolder(destination)
      throw ValidationError(error.message + (isFolder ? " " + hint : ""))
    }
  }
}
