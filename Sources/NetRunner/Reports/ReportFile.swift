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

/// A file that a report is written to: whole or not at all.
///
/// A report that is there stays until the new one is complete, so that a full disk or Ctrl-C
/// leaves no half of one.
public struct ReportFile: Sendable {
  /// Where the file is.
  public var path: String

  /// Makes a file; nothing is written yet.
  public init(_ path: String) {
    self.path = path
  }

  /// Writes the file; one that is there is replaced.
  ///
  /// - Parameter text: What the file holds from then on, as UTF-8.
  /// - Throws: `TensorIOError` when it cannot be written.
  public func write(_ text: String) throws {
    guard !FileSystem.isFolder(path) else {
      throw TensorIOError(
        .unwritableFile, "'\(path)' is a folder, a report is written to a file.")
    }
    let folder = FileSystem.folder(of: path)
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' to write '\(path)' into.")
    }
    // A pipe or a device, such as /dev/stdout, cannot be replaced.
    if FileManager.default.fileExists(atPath: path), !isRegular {
      return try put(text, at: path)
    }
    try AtomicOutput(path, replaces: true).write { try put(text, at: $0) }
  }

  private var isRegular: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let type = attributes?[.type] as? FileAttributeType
    return type == .typeRegular
  }

  private func put(_ text: String, at place: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: place))
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
