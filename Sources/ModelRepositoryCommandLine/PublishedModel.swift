// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryClient
import TensorIO

/// The model that `tensorio repository push` publishes.
struct PublishedModel {
  /// The path of a bundle's folder or a `.tflite` file.
  let path: String

  /// Checks that the model can be published as it is, and that it works.
  ///
  /// - Parameter backends: The backends to load and run the model with, or nil to skip that.
  /// - Throws: `TensorIOError` that names the file or says what is wrong with the model.
  func check(_ backends: [any Backend]?) throws {
    let isFolder = FileSystem.isFolder(path)
    try isFolder ? checkFolder() : checkFile()
    guard let backends else { return }
    do {
      try ModelTrial.run(path, with: backends)
    } catch var error as TensorIOError where error.code != .missingLibrary {
      error.message += " Nothing was published. Pass --no-check to publish it anyway."
      throw error
    }
  }

  // MARK: - Files

  /// Checks that a bundle has only regular files and folders.
  ///
  /// Links and special files can't be published. A link may lead out of the bundle.
  private func checkFolder() throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
      let type = try type(of: path + "/" + name)
      guard type == .typeRegular || type == .typeDirectory else {
        throw TensorIOError(
          .invalidBundle,
          "'\(path)/\(name)' is \(Self.describe(type)), but a published bundle can only have files "
            + "and folders. Replace it with a copy of its contents.")
      }
    }
  }

  private func checkFile() throws {
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    guard FileManager.default.fileExists(atPath: target) else {
      throw TensorIOError(.fileNotFound, "There is no file or folder '\(path)'.")
    }
    let type = try type(of: target)
    guard type == .typeRegular else {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is \(Self.describe(type)). Pass a .tiobundle folder or a .tflite file.")
    }
  }

  private func type(of path: String) throws -> FileAttributeType {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return attributes[.type] as? FileAttributeType ?? .typeUnknown
    } catch {
      throw TensorIOError(
        .unreadableFile, "'\(path)' can't be read: \(FileSystem.reason(for: error)).", cause: error
      )
    }
  }

  private static func describe(_ type: FileAttributeType) -> String {
    switch type {
    case .typeSymbolicLink: "a symbolic link"
    case .typeSocket: "a socket"
    case .typeCharacterSpecial, .typeBlockSpecial: "a device"
    case .typeDirectory: "a folder"
    default: "a named pipe or another special file"
    }
  }
}
#endif
