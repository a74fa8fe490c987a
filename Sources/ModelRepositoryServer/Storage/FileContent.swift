// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import ModelRepositoryAPI
import NIOCore
import NIOPosix

/// A file that is open for reading.
final class FileContent: BlobContent {
  let size: Int
  // `file` closes the descriptor of this handle.
  let handle: NIOFileHandle
  private let file: OpenFile
  private let files = NonBlockingFileIO(threadPool: .singleton)

  /// Opens a file; nil if it doesn't exist or isn't a regular file.
  init?(_ path: String) throws {
    guard let (file, size) = try FileSystem.openFile(path) else { return nil }
    self.size = size
    self.file = file
    handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
  }

  deinit { _ = try? handle.takeDescriptorOwnership() }

  func bytes(in range: Range<Int>) async throws -> ByteBuffer {
    let bytes = try await files.read(
      fileHandle: handle, fromOffset: Int64(range.lowerBound), byteCount: range.count,
      allocator: ByteBufferAllocator())
    guard bytes.readableBytes == range.count else {
      throw RepositoryError(.storage, "A blob's file has become shorter than \(size) bytes.")
    }
    return bytes
  }

  /// Returns the beginning of a range that the system has in memory.
  ///
  /// A thread that must not wait for the disk can send these bytes. Only both ends of every 256 KB
  /// are checked, so a missing page between them costs a read from the disk.
  func beginningInMemory(of range: Range<Int>) throws -> Range<Int> {
    var end = range.lowerBound
    guard !range.isEmpty, file.isInMemory(end) else { return end..<end }
    while end < range.upperBound {
      let next = min(end + blobPieceSize, range.upperBound)
      guard file.isInMemory(next - 1) else { break }
      end = next
    }
    return range.lowerBound..<end
  }
}
#endif
