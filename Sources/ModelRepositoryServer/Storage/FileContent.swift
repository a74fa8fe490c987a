// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelRepositoryAPI
import NIOCore
import NIOPosix

/// A file that is open for reading.
final class FileContent: BlobContent {
  let size: Int
  private let handle: NIOFileHandle
  private let files = NonBlockingFileIO(threadPool: .singleton)

  init(_ path: String, size: Int) throws {
    self.size = size
    handle = try NIOFileHandle(_deprecatedPath: path)
  }

  deinit { try? handle.close() }

  func bytes(in range: Range<Int>) async throws -> ByteBuffer {
    let bytes = try await files.read(
      fileHandle: handle, fromOffset: Int64(range.lowerBound), byteCount: range.count,
      allocator: ByteBufferAllocator())
    guard bytes.readableBytes == range.count else {
      throw RepositoryError(.storage, "A blob's file has become shorter than \(size) bytes.")
    }
    return bytes
  }
}
