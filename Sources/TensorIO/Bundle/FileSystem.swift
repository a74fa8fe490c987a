// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file system operations that bundles need.
package enum FileSystem {
  /// Whether a folder exists at this path.
  package static func isFolder(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  /// Whether a file that is not a folder exists at this path.
  package static func isFile(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory
  }

  /// Returns the size of a regular file in bytes; nil when there is none.
  package static func byteCount(of path: String) -> Int? {
    guard let status = try? FileStatus(of: path), status.kind == .file else { return nil }
    return status.size
  }

  /// Returns the names of the files and folders in a folder.
  package static func contents(of path: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw TensorIOError(
        isFolder(path) ? .unreadableFile : .fileNotFound,
        "The folder '\(path)' cannot be read: \(reason(for: error)).",
        cause: error
      ).about(path)
    }
  }

  /// Returns the system's own reason for an error, such as "No space left on device".
  package static func reason(for error: any Error) -> String {
    let underlying = (error as? CocoaError)?.underlying ?? error
    if let error = underlying as? FileError { return error.reason }
    guard let code = (underlying as? POSIXError)?.code else { return "\(error)" }
    return FileError.reason(code)
  }

  /// Returns the last component of a path.
  package static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// Returns the folder that contains a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether a path is relative and stays inside the folder that it starts from.
  package static func staysInside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.contains("\0") && !path.split(separator: "/").contains("..")
  }
}
