// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file for a report, which is written completely or not at all.
///
/// An existing report is kept until the new one is complete, so a full disk or Ctrl-C doesn't leave
/// half a report.
public struct ReportFile: Sendable {
  /// The file's path.
  public var path: String

  /// Creates a value without writing anything.
  public init(_ path: String) {
    self.path = path
  }

  /// Writes the file and replaces an existing one.
  ///
  /// - Parameter text: The file's new content, which is encoded as UTF-8.
  /// - Throws: `TensorIOError` if the file can't be written.
  public func write(_ text: String) throws {
    guard !FileSystem.isFolder(path) else {
      throw TensorIOError(
        .unwritableFile, "'\(path)' is a folder, but a report is written to a file.")
    }
    let folder = FileSystem.folder(of: path)
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' to write '\(path)' into.")
    }
    // Pipes and devices such as /dev/stdout can't be replaced, so they are written directly.
    let status = try? FileStatus(of: path, followsLinks: false)
    if FileManager.default.fileExists(atPath: path), status?.kind != .file {
      return try put(text, at: path)
    }
    try AtomicOutput(path, replaces: true).write { try put(text, at: $0) }
  }

  private func put(_ text: String, at path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
