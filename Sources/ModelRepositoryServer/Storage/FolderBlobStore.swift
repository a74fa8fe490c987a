// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOPosix

/// A store that keeps blobs in the files `sha256/ab/<hex>` of a folder.
struct FolderBlobStore: BlobStore {
  private let folder: String
  private let quarantineFolder: String
  /// The threads for file operations, so that the disk doesn't block the threads that all tasks
  /// share.
  private let threads = NIOThreadPool.singleton

  /// Creates a store in a folder, which must be on the same disk as the uploads.
  init(_ folder: String, quarantine: String) throws {
    self.folder = folder
    quarantineFolder = quarantine
    try FileSystem.makeFolder(folder + "/sha256")
  }

  func put(_ file: String, as blob: BlobReference) async throws {
    let path = path(blob.digest)
    let folder = folder + "/sha256"
    let parent = "\(folder)/\(blob.digest.hexadecimal.prefix(2))"
    try await threads.runIfActive {
      guard try FileSystem.size(of: file) == blob.size else {
        throw RepositoryError(.storage, "'\(file)' is no longer a file of \(blob.size) bytes.")
      }
      try FileSystem.flush(file)
      if !FileManager.default.fileExists(atPath: parent) { try FileSystem.makeFolder(parent) }
      // This is needed even if the folder exists, because another process may have created it and
      // crashed before this flush.
      try FileSystem.flush(folder)
      try FileSystem.rename(file, to: path)
      try FileSystem.flush(parent)
    }
  }

  func open(_ digest: BlobDigest) async throws -> (any BlobContent)? {
    let path = path(digest)
    return try await threads.runIfActive { try FileContent(path) }
  }

  func size(of digest: BlobDigest) async throws -> Int? {
    let path = path(digest)
    return try await threads.runIfActive { try FileSystem.size(of: path) }
  }

  func delete(_ digest: BlobDigest) async throws {
    let path = path(digest)
    try await threads.runIfActive { try FileSystem.remove(path) }
  }

  func quarantine(_ digest: BlobDigest) async throws {
    let path = path(digest)
    let destination = "\(quarantineFolder)/\(digest.quarantineName)"
    try await threads.runIfActive { try FileSystem.rename(path, to: destination) }
  }

  func list() async throws -> [StoredBlob] {
    let folder = folder + "/sha256"
    return try await threads.runIfActive {
      try FileSystem.names(in: folder).flatMap { part in
        try FileSystem.names(in: folder + "/" + part).compactMap { name in
          let path = "\(folder)/\(part)/\(name)"
          guard name.hasPrefix(part), let digest = BlobDigest("sha256:" + name),
            let file = try FileSystem.file(path)
          else { return nil }
          return StoredBlob(
            blob: BlobReference(digest: digest, size: file.size),
            stored: Date(timeIntervalSince1970: file.time))
        }
      }
    }
  }

  private func path(_ digest: BlobDigest) -> String { folder + "/" + digest.storedPath }
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
