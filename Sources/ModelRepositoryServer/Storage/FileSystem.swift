// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
      throw RepositoryError(
        .storage, "'\(path)' cannot be looked at: \(String(cString: strerror(errno))).")
    }
    return false
  }

  /// How many bytes a file has; nil where there is no file, or something else.
  ///
  /// - Throws: ``RepositoryError`` where the system cannot tell.
  static func size(of path: String) throws -> Int? {
    guard try exists(path) else { return nil }
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
      return (attributes[.size] as? NSNumber)?.intValue
    } catch {
      // It may have gone in between.
      guard try exists(path) else { return nil }
      throw RepositoryError(.storage, "'\(path)' cannot be looked at: \(reason(for: error)).")
    }
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

  private static func lastError(writing path: String) -> RepositoryError {
    RepositoryError(
      .storage, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }
}
