// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// A fresh folder for what the server need not keep; nobody else can look into it.
///
/// It is gone when the server ends, or at the latest when nothing refers to it any more.
final class ScratchFolder: Sendable {
  /// The folder.
  let path: String

  /// Makes a folder among the system's temporary ones.
  ///
  /// - Throws: `TensorIOError` when that cannot be.
  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "tensorio-netrunner-\(UUID().uuidString)").path
    try Self.makeFolder(path)
  }

  deinit { remove() }

  /// Makes a folder within.
  ///
  /// - Parameter name: Its name; nil makes one up.
  /// - Returns: Its path.
  /// - Throws: `TensorIOError` when that cannot be.
  func folder(_ name: String? = nil) throws -> String {
    let folder = path + "/" + (name ?? UUID().uuidString)
    try Self.makeFolder(folder)
    return folder
  }

  /// Deletes everything, or a folder within.
  func remove(_ folder: String? = nil) {
    try? FileManager.default.removeItem(atPath: folder ?? path)
  }

  private static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(path)' cannot be made: \(FileSystem.reason(for: error)).", cause: error)
    }
  }
}
#endif
