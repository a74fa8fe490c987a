// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// Reads archives and lists objects that aren't on this machine, for runs that find their samples in them.
package struct ObjectAccess: Sendable {
  /// Opens the object at an address.
  package var open: @Sendable (_ address: String) throws -> any ByteStream
  /// Returns a closure that returns the addresses of the objects below a prefix, one after the other,
  /// and nil after the last one.
  ///
  /// With a last address, only objects after it are returned.
  package var list: @Sendable (_ prefix: String, _ last: String?) throws -> () throws -> String?

  package init(
    open: @escaping @Sendable (_ address: String) throws -> any ByteStream,
    list: @escaping @Sendable (_ prefix: String, _ last: String?) throws -> () throws -> String?
  ) {
    self.open = open
    self.list = list
  }
}

extension ObjectAccess? {
  /// Returns the access to the object or the prefix at an address.
  ///
  /// - Throws: `TensorIOError` if the program has none.
  func required(for address: String) throws -> ObjectAccess {
    guard let self else {
      throw TensorIOError(
        .unreadableFile, "'\(address)' is a URL, but this program doesn't download anything.")
    }
    return self
  }
}

/// Bytes that are read one after the other.
package protocol ByteStream: AnyObject {
  /// Returns the next bytes, which are fewer than `count` only at the end.
  func read(_ count: Int) throws -> [UInt8]

  /// Skips bytes, also beyond the end.
  func skip(_ count: Int) throws
}

/// The bytes of a file.
final class FileStream: ByteStream {
  private let file: OpenFile
  private var position = 0

  init(_ path: String) throws { file = try FileSystem.open(path) }

  func read(_ count: Int) throws -> [UInt8] {
    do {
      let bytes = try file.bytes(in: position..<position + count)
      position += bytes.count
      return bytes
    } catch let error as FileError {
      throw TensorIOError(reading: error)
    }
  }

  func skip(_ count: Int) { position += count }
}
