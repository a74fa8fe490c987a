// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The bytes of a file, in pooled memory that `buffer` holds.
struct FileContents {
  var buffer: PooledBuffer
  var count: Int

  /// The bytes.
  ///
  /// Keep `buffer` alive while you use them.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
  }
}

/// Reads a file of at most `limit` bytes.
///
/// The file is read rather than mapped, because another process could truncate a mapped file while
/// it is decoded.
func readFile(_ path: String, limit: Int, pool: BufferPool) throws -> FileContents {
  let file = try FileSystem.open(path)
  do {
    let size = try file.status.size
    guard size <= limit else { throw fileTooLarge("'\(path)'", bytes: size, limit: limit) }

    // A pipe has no size, and a file can grow while it is read, so read until the end.
    var contents = FileContents(buffer: pool.buffer(byteCount: size + 1), count: 0)
    while true {
      let bytes = contents.buffer.bytes
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[contents.count...])
      let count = try file.read(into: rest)
      if count == 0 { return contents }
      contents.count += count
      guard contents.count <= limit else {
        throw fileTooLarge("'\(path)'", bytes: nil, limit: limit)
      }
      if contents.count == bytes.count {
        let larger = pool.buffer(byteCount: contents.count * 2)
        larger.bytes.copyMemory(from: contents.bytes)
        contents.buffer = larger
      }
    }
  } catch let error as FileError {
    throw TensorIOError(reading: error)
  }
}

/// Writes a file, replacing an existing one.
func writeFile(_ bytes: [UInt8], to path: String) throws {
  do {
    let file = try OpenFile(replacing: path)
    try file.write(bytes)
    try file.checkWritten()
  } catch let error as FileError {
    throw TensorIOError(writing: error)
  }
}
