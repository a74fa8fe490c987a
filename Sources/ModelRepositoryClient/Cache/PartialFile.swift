// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
import Files
import Foundation
import ModelRepositoryAPI
import Synchronization
import TensorIO

/// The file of a blob that isn't complete yet.
///
/// The caller must hold the lock of the blob's digest.
final class PartialFile: Sendable {
  private struct Progress {
    var hash = SHA256()
    var count = 0
    var furthest = 0
  }

  let blob: BlobReference
  private let cache: CacheFolder
  private let file: OpenFile
  private let progress: Mutex<Progress>

  /// Continues the file of an earlier process, or starts a new one.
  ///
  /// Existing bytes are hashed again, because a crash may have damaged them.
  ///
  /// - Throws: ``FileError``.
  init(of blob: BlobReference, in cache: CacheFolder) throws {
    self.blob = blob
    self.cache = cache
    let prefix = blob.digest.hexadecimal + "."
    let found = try FileSystem.contents(of: cache.partial).filter {
      $0.hasPrefix(prefix) && !$0.hasSuffix(".etag") && !$0.hasSuffix(".lock")
    }
    let name = found.min() ?? prefix + UUID().uuidString
    for other in found where other != name { try Self.remove("\(cache.partial)/\(other)") }
    file = try CacheFile.writing("\(cache.partial)/\(name)")
    var start = Progress()
    if try file.status.size <= blob.size {
      try file.forEachPart { part in
        start.hash.update(bufferPointer: part)
        start.count += part.count
      }
    } else {
      try file.empty()
    }
    start.furthest = start.count
    progress = Mutex(start)
    try cache.environment.reached(.partialOpened)
  }

  /// The number of bytes in the file.
  var count: Int { progress.withLock { $0.count } }

  /// The largest number of bytes that the file ever had.
  ///
  /// A server that always breaks off at the same offset makes no progress.
  var furthest: Int { progress.withLock { $0.furthest } }

  /// The digest of the bytes in the file.
  var digest: BlobDigest { BlobDigest(progress.withLock { $0.hash }.finalize()) }

  /// Returns the server's ETag for this content, or nil if it isn't known.
  ///
  /// - Throws: ``FileError`` if reading may succeed later.
  func etag() throws -> String? {
    try CacheFile.contents(of: file.path + ".etag", upTo: Self.maximumETagBytes)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The maximum size of an ETag in bytes, which is more than a response can hold.
  private static let maximumETagBytes = 1 << 20

  /// Saves the server's ETag for this content, or removes it if it is nil.
  ///
  /// - Throws: ``FileError``.
  func note(etag: String?) throws {
    guard let etag else { return try FileSystem.remove(file.path + ".etag") }
    let note = try CacheFile.writing(file.path + ".etag", truncates: true)
    try Data(etag.utf8).withUnsafeBytes(note.write)
  }

  /// Appends bytes.
  ///
  /// - Throws: ``FileError``.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try file.write(bytes)
    progress.withLock {
      $0.hash.update(bufferPointer: bytes)
      $0.count += bytes.count
      $0.furthest = max($0.furthest, $0.count)
    }
    try cache.environment.reached(.partialWritten)
  }

  /// Empties the file to start again.
  ///
  /// - Throws: ``FileError``.
  func truncate() throws {
    try file.empty()
    progress.withLock { $0 = Progress(furthest: $0.furthest) }
  }

  /// Removes the file and its ETag.
  ///
  /// - Throws: ``FileError``.
  func remove() throws { try Self.remove(file.path) }

  /// Moves the file into the store, after the caller has verified its digest.
  ///
  /// - Throws: ``FileError``.
  func finish() throws {
    try cache.environment.reached(.partialComplete)
    do {
      try file.flush()
    } catch {
      // The system reports a failed write only once. If the file stayed, the next flush would
      // succeed and the file would seem intact.
      try? Self.remove(file.path)
      throw error
    }
    try cache.environment.reached(.partialFlushed)
    try FileOperations.rename(file.path, to: cache.blob(blob.digest))
    try cache.environment.reached(.blobRenamed)
    // Make the file read-only only now, because an incomplete file must stay writable.
    try file.makeReadOnly()
    try FileOperations.flush(cache.store)
    try cache.environment.reached(.blobDurable)
    cache.noteVerified(try file.status, blob.digest)
    try FileSystem.remove(file.path + ".etag")
  }

  private static func remove(_ path: String) throws {
    try FileSystem.remove(path)
    try FileSystem.remove(path + ".etag")
  }
}
#endif
