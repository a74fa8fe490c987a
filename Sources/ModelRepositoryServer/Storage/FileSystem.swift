// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import ModelRepositoryAPI

/// File operations that Foundation doesn't offer or doesn't do durably.
enum FileSystem {
  /// Creates a folder that only this user can access; an existing folder isn't an error.
  static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RepositoryError(storage: "The folder '\(path)' can't be created", reason(for: error))
    }
  }

  /// Renames a file in one step, and replaces a file of the new name.
  static func rename(_ path: String, to newPath: String) throws {
    try writing { () throws(FileError) in try FileOperations.rename(path, to: newPath) }
  }

  /// Flushes a file's bytes, or the names in a folder, to the disk.
  static func flush(_ path: String) throws {
    try writing { () throws(FileError) in try FileOperations.flush(path) }
  }

  /// Writes a file so that it exists either completely or not at all, and flushes it.
  ///
  /// The process's mask doesn't restrict the permissions.
  static func write(_ data: Data, to path: String, permissions: UInt32 = 0o644) throws {
    let fresh = path + ".new"
    try remove(fresh)
    do {
      let file = try OpenFile(creating: fresh, permissions: permissions)
      try FileManager.default.setAttributes(
        [.posixPermissions: Int(permissions)], ofItemAtPath: fresh)
      try file.write(Array(data))
      try file.flush()
    } catch {
      throw RepositoryError(storage: "'\(fresh)' cannot be written", reason(for: error))
    }
    try rename(fresh, to: path)
    try flush(URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Removes a file; a missing file isn't an error.
  static func remove(_ path: String) throws {
    try writing { () throws(FileError) in try FileOperations.remove(path) }
  }

  /// Whether a file or a folder exists.
  ///
  /// - Throws: ``RepositoryError`` if the system can't tell, which doesn't mean that the file is
  ///   missing.
  static func exists(_ path: String) throws -> Bool {
    try examining { () throws(FileError) in try FileOperations.exists(path) }
  }

  /// Returns a file's size in bytes; nil if it doesn't exist or isn't a regular file.
  static func size(of path: String) throws -> Int? { try file(path)?.size }

  /// Returns the status of a file; nil if it doesn't exist or isn't a regular file.
  ///
  /// Foundation isn't used, because it also looks up the names of the file's owner and group, which
  /// reads three more files.
  static func file(_ path: String) throws -> FileStatus? {
    try examining { () throws(FileError) in
      guard let status = try FileStatus(of: path, followsLinks: false) else { return nil }
      if status.kind == .file { return status }
      // A link whose target can't be checked is an error and doesn't count as missing.
      _ = try FileOperations.exists(path)
      return nil
    }
  }

  /// Whether there is a folder at a path, or a link to one.
  static func isFolder(_ path: String) -> Bool { (try? FileStatus(of: path))?.kind == .folder }

  /// Returns the permissions of a file, or of a link's target; nil if there is no regular file.
  static func fileMode(of path: String) throws -> UInt32? {
    let status = try examining { () throws(FileError) in try FileStatus(of: path) }
    return status?.kind == .file ? status?.permissions : nil
  }

  /// Opens a file for reading; nil if it doesn't exist or isn't a regular file.
  ///
  /// - Returns: The file and its size in bytes.
  static func openFile(_ path: String) throws -> (file: OpenFile, size: Int)? {
    do {
      let file = try OpenFile(reading: path, followsLinks: false)
      return (file, try file.status.size)
    } catch {
      if error.isMissing || error.kind != nil { return nil }
      if error.isLink, try exists(path) { return nil }
      throw RepositoryError(storage: "'\(path)' can't be examined", error.reason)
    }
  }

  /// Returns the sorted names in a folder; empty if the folder doesn't exist.
  static func names(in path: String) throws -> [String] {
    guard try exists(path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw RepositoryError(storage: "'\(path)' cannot be listed", reason(for: error))
    }
  }

  /// Returns the system's reason for an error, for example "No space left on device".
  static func reason(for error: any Error) -> String {
    if let error = error as? RepositoryError { return error.reason ?? error.message }
    let cocoa = error as? CocoaError
    let underlying = cocoa?.userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    if let error = underlying as? FileError { return error.reason }
    guard let code = (underlying as? POSIXError)?.code else { return "\(underlying)" }
    return FileError.reason(code)
  }

  private static func examining<Result>(_ work: () throws(FileError) -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      throw RepositoryError(storage: "'\(error.path)' can't be examined", error.reason)
    }
  }

  private static func writing(_ work: () throws(FileError) -> Void) throws {
    do {
      try work()
    } catch {
      throw RepositoryError(
        storage: "'\(error.newPath ?? error.path)' cannot be written", error.reason)
    }
  }
}
#endif
