// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
import Files
import ModelRepositoryAPI

/// The regular files of the cache, which are never opened through a symbolic link.
enum CacheFile {
  /// Opens a file for reading.
  ///
  /// - Throws: ``FileError``, also if the path isn't a regular file.
  static func reading(_ path: String) throws(FileError) -> OpenFile {
    try OpenFile(reading: path, followsLinks: false)
  }

  /// Opens a file for writing, and creates it if it is missing.
  ///
  /// - Throws: ``FileError``, also if the path isn't a regular file.
  static func writing(_ path: String, truncates: Bool = false) throws(FileError) -> OpenFile {
    try OpenFile(writing: path, truncates: truncates, permissions: 0o600)
  }

  /// Returns the bytes of a small file, or nil if it is missing, exceeds the limit, or permanently
  /// can't be read.
  ///
  /// - Throws: ``FileError`` if reading may succeed later.
  static func contents(of path: String, upTo limit: Int) throws -> [UInt8]? {
    try unlessTransient {
      let file = try reading(path)
      guard try file.status.size <= limit else { return nil }
      var bytes: [UInt8] = []
      try file.forEachPart { bytes.append(contentsOf: $0) }
      return bytes.count <= limit ? bytes : nil
    }
  }

  /// Runs an operation on a file, and returns nil if the file is missing or damaged.
  ///
  /// - Throws: ``FileError`` if the failure is transient. An intact file must not be discarded
  ///   because the process has too many files open.
  static func unlessTransient<Result>(_ work: () throws -> Result?) throws -> Result? {
    do {
      return try work()
    } catch let failure as FileError where !failure.isTransient {
      return nil
    }
  }
}
#endif
