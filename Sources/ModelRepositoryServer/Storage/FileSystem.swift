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

/// What Foundation does not do, or not durably.
enum FileSystem {
  /// Makes a folder that only this user can look into; one that is there is no error.
  static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RepositoryError(
        .storage, "The folder '\(path)' cannot be made: \(reason(for: error)).")
    }
  }

  /// Gives a file another name in one step; a file of that name is replaced.
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

  /// Brings a file's bytes, or a folder's names, to the disk.
  static func flush(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw lastError(writing: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw lastError(writing: path) }
  }

  /// Removes a file; one that is not there is no error.
  static func remove(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw lastError(writing: path) }
  }

  /// Gives a file a second name; false where the file system cannot.
  static func link(_ path: String, to newPath: String) -> Bool {
    #if canImport(Glibc)
    Glibc.link(path, newPath) == 0
    #elseif canImport(Musl)
    Musl.link(path, newPath) == 0
    #else
    Darwin.link(path, newPath) == 0
    #endif
  }

  /// Whether there is a file or folder.
  ///
  /// - Throws: ``RepositoryError`` where the system cannot tell, which does not mean that it is gone.
  static func exists(_ path: String) throws -> Bool {
    guard access(path, F_OK) != 0 else { return true }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw unknown(path)
    }
    return false
  }

  /// How many bytes a file has; nil where there is no file, or something else.
  ///
  /// - Throws: ``RepositoryError`` where the system cannot tell.
  static func size(of path: String) throws -> Int? { try file(path)?.size }

  /// What the system tells of a file; nil where there is no file, or something else.
  ///
  /// Foundation looks up the names of the file's owner and group as well, in three more files.
  ///
  /// - Throws: ``RepositoryError`` where the system cannot tell.
  static func file(_ path: String) throws -> (size: Int, changed: Date)? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unknown(path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      // A link that leads nowhere for now is not nothing.
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

  /// Whether there is a folder, or a link to one.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The permissions of a file, or of the file that a link leads to; nil where there is no file.
  ///
  /// - Throws: ``RepositoryError`` where the system cannot tell.
  static func fileMode(of path: String) throws -> UInt32? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unknown(path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    return UInt32(status.st_mode & 0o7777)
  }

  /// When a file or folder was changed, to compare with another time; empty where there is none.
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

  /// Opens a file for reading; nil where there is no file, or something else.
  ///
  /// - Returns: The file, which the caller closes, and how many bytes it has.
  /// - Throws: ``RepositoryError`` where the system cannot tell, or refuses.
  static func openFile(_ path: String) throws -> (descriptor: CInt, size: Int)? {
    // Without O_NONBLOCK, what is no file but a pipe would wait for its writer.
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

  /// The names in a folder, in order; none where there is no folder.
  ///
  /// - Throws: ``RepositoryError`` where the system cannot tell.
  static func names(in path: String) throws -> [String] {
    guard try exists(path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw RepositoryError(.storage, "'\(path)' cannot be listed: \(reason(for: error)).")
    }
  }

  /// How many bytes a folder's disk has, and how many it has left for this user; nil where the
  /// system cannot tell.
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

  /// How many bytes a folder's disk has left for this user.
  static func freeBytes(at path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
  }

  /// Why the system refused something, in its own words: "No space left on device".
  static func reason(for error: any Error) -> String {
    if let error = error as? RepositoryError { return error.message }
    let cocoa = error as? CocoaError
    let underlying = cocoa?.userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    guard let code = (underlying as? POSIXError)?.code else { return "\(underlying)" }
    return String(cString: strerror(code.rawValue))
  }

  private static func unknown(_ path: String) -> RepositoryError {
    RepositoryError(
      .storage, "'\(path)' cannot be looked at: \(String(cString: strerror(errno))).")
  }

  private static func lastError(writing path: String) -> RepositoryError {
    RepositoryError(
      .storage, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }
}
#endif
