// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// File operations that Foundation doesn't offer or doesn't do durably.
enum FileSystem {
  /// Creates a folder that only this user can access; an existing folder isn't an error.
  static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RepositoryError(
        .storage, "The folder '\(path)' can't be created: \(reason(for: error)).")
    }
  }

  /// Renames a file in one step, and replaces a file of the new name.
  static func rename(_ path: String, to newPath: String) throws {
    #if canImport(Glibc)
    let status = Glibc.rename(path, newPath)
    #elseif canImport(Musl)
    let status = Musl.rename(path, newPath)
    #else
    let status = Darwin.rename(path, newPath)
    #endif
    guard status == 0 else { throw lastError(writing: newPath) }
  }

  /// Flushes a file's bytes, or the names in a folder, to the disk.
  static func flush(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw lastError(writing: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw lastError(writing: path) }
  }

  /// Removes a file; a missing file isn't an error.
  static func remove(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw lastError(writing: path) }
  }

  /// Creates a hard link; returns false if the file system can't.
  static func link(_ path: String, to newPath: String) -> Bool {
    #if canImport(Glibc)
    Glibc.link(path, newPath) == 0
    #elseif canImport(Musl)
    Musl.link(path, newPath) == 0
    #else
    Darwin.link(path, newPath) == 0
    #endif
  }

  /// Whether a file or a folder exists.
  ///
  /// - Throws: ``RepositoryError`` if the system can't tell, which doesn't mean that the file is
  ///   missing.
  static func exists(_ path: String) throws -> Bool {
    guard access(path, F_OK) != 0 else { return true }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw unknown(path)
    }
    return false
  }

  /// Returns a file's size in bytes; nil if it doesn't exist or isn't a regular file.
  ///
  /// - Throws: ``RepositoryError`` if the system can't tell.
  static func size(of path: String) throws -> Int? { try file(path)?.size }

  /// Returns a file's size and modification time; nil if it doesn't exist or isn't a regular file.
  ///
  /// Foundation isn't used, because it also looks up the names of the file's owner and group, which
  /// reads three more files.
  ///
  /// - Throws: ``RepositoryError`` if the system can't tell.
  static func file(_ path: String) throws -> (size: Int, changed: Date)? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unknown(path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      // A link whose target can't be checked is an error and doesn't count as missing.
      _ = try exists(path)
      return nil
    }
    #if canImport(Darwin)
    let changed = status.st_mtimespec
    #else
    let changed = status.st_mtim
    #endif
    let seconds = Double(changed.tv_sec) + Double(changed.tv_nsec) * 1e-9
    return (Int(status.st_size), Date(timeIntervalSince1970: seconds))
  }

  /// Whether there is a folder at a path, or a link to one.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the permissions of a file, or of a link's target; nil if there is no regular file.
  ///
  /// - Throws: ``RepositoryError`` if the system can't tell.
  static func fileMode(of path: String) throws -> UInt32? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unknown(path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    return UInt32(status.st_mode & 0o7777)
  }

  /// Returns a file's or folder's modification time as a text to compare; empty if it doesn't
  /// exist.
  static func changeTime(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "" }
    #if canImport(Darwin)
    let changed = status.st_mtimespec
    #else
    let changed = status.st_mtim
    #endif
    return "\(changed.tv_sec).\(changed.tv_nsec)"
  }

  /// Opens a file for reading; nil if it doesn't exist or isn't a regular file.
  ///
  /// - Returns: The file descriptor, which the caller closes, and the file's size in bytes.
  /// - Throws: ``RepositoryError`` if the system can't tell or denies access.
  static func openFile(_ path: String) throws -> (descriptor: CInt, size: Int)? {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      if errno == ELOOP, try exists(path) { return nil }
      throw unknown(path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let error = unknown(path)
      close(descriptor)
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return (descriptor, Int(status.st_size))
  }

  /// Returns the sorted names in a folder; empty if the folder doesn't exist.
  ///
  /// - Throws: ``RepositoryError`` if the system can't tell.
  static func names(in path: String) throws -> [String] {
    guard try exists(path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw RepositoryError(.storage, "'\(path)' cannot be listed: \(reason(for: error)).")
    }
  }

  /// Returns the size of a folder's disk and the space that is left for this user, in bytes.
  ///
  /// The result is nil if the system can't tell.
  static func room(at path: String) -> (total: Int, free: Int)? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let unit = Int(clamping: status.f_frsize)
    func bytes(_ blocks: some BinaryInteger) -> Int {
      let (bytes, isTooMany) = Int(clamping: blocks).multipliedReportingOverflow(by: unit)
      return isTooMany ? .max : bytes
    }
    return (bytes(status.f_blocks), bytes(status.f_bavail))
  }

  /// Returns the number of bytes that are left for this user on a folder's disk.
  static func freeBytes(at path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
  }

  /// Returns the system's reason for an error, for example "No space left on device".
  static func reason(for error: any Error) -> String {
    if let error = error as? RepositoryError { return error.message }
    let cocoa = error as? CocoaError
    let underlying = cocoa?.userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    guard let code = (underlying as? POSIXError)?.code else { return "\(underlying)" }
    return String(cString: strerror(code.rawValue))
  }

  private static func unknown(_ path: String) -> RepositoryError {
    RepositoryError(
      .storage, "'\(path)' can't be examined: \(String(cString: strerror(errno))).")
  }

  private static func lastError(writing path: String) -> RepositoryError {
    RepositoryError(
      .storage, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }
}
#endif
