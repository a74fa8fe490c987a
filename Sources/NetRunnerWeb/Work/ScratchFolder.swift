// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// A new folder for the server's temporary files, which other users can't access.
///
/// It is deleted when the server ends, or at the latest when nothing refers to it any more.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "tensorio-netrunner-\(UUID().uuidString)").path
    try Self.makeFolder(path)
  }

  deinit { remove() }

  /// Creates a subfolder, with a unique name unless one is given, and returns its path.
  func folder(_ name: String? = nil) throws -> String {
    let folder = path + "/" + (name ?? UUID().uuidString)
    try Self.makeFolder(folder)
    return folder
  }

  /// Deletes everything, or only a subfolder.
  func remove(_ folder: String? = nil) {
    try? FileManager.default.removeItem(atPath: folder ?? path)
  }

  /// Creates a folder, whose purpose is part of the error's message.
  static func makeFolder(
    _ path: String, _ purpose: String = "",
    attributes: [FileAttributeKey: Any]? = [.posixPermissions: 0o700]
  ) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: attributes)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(path)' \(purpose)can't be created: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
#endif
