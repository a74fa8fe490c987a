// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import ModelRepositoryAPI
import NIOCore
import NIOPosix

/// A blob that is open for reading.
protocol BlobContent: Sendable {
  var size: Int { get }

  /// Reads all bytes of a range within the blob; callers read at most 256 KB at once.
  func bytes(in range: Range<Int>) async throws -> ByteBuffer

  /// Starts to read a range that may be large.
  ///
  /// A failure that can be detected immediately is thrown here, before a response begins that would
  /// have to be aborted.
  ///
  /// The pieces have at most 256 KB, and can be iterated once. If reading fails on the way, the
  /// sequence throws ``RepositoryError``. It never ends early and never returns other bytes.
  func pieces(in range: Range<Int>) async throws -> BlobPieces
}

/// The bytes of a blob, piece by piece.
typealias BlobPieces = any AsyncSequence<ByteBuffer, any Error> & Sendable

extension BlobContent {
  func pieces(in range: Range<Int>) async throws -> BlobPieces {
    RangedPieces(content: self, range: range)
  }

  /// Reads the bytes piece by piece, so that the memory use stays constant.
  func forEachPiece(
    in range: Range<Int>, _ body: (ByteBuffer) async throws -> Void
  ) async throws {
    for try await piece in try await pieces(in: range) {
      try Task.checkCancellation()
      try await body(piece)
    }
  }
}

/// The number of bytes to read or write at once.
let blobPieceSize = 1 << 18

/// The bytes of a blob, read one piece at a time.
struct RangedPieces: AsyncSequence, Sendable {
  let content: any BlobContent
  let range: Range<Int>

  struct AsyncIterator: AsyncIteratorProtocol {
    let content: any BlobContent
    var range: Range<Int>

    mutating func next() async throws -> ByteBuffer? {
      guard !range.isEmpty else { return nil }
      let end = Swift.min(range.lowerBound + blobPieceSize, range.upperBound)
      defer { range = end..<range.upperBound }
      return try await content.bytes(in: range.lowerBound..<end)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(content: content, range: range) }
}

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
