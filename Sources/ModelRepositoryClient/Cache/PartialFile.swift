// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
import ModelRepositoryAPI
import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A blob that is not complete yet.
///
/// Only who holds the lock of its digest has it.
final class PartialFile: Sendable {
  private struct Progress {
    var hash = SHA256()
    var count = 0
    var furthest = 0
  }

  let blob: BlobReference
  private let cache: CacheFolder
  private let file: CacheFile
  private let progress: Mutex<Progress>

  /// Goes on with what an earlier process left, or begins.
  ///
  /// What is there is hashed again: nobody knows what a crash made of it.
  ///
  /// - Throws: ``FileFailure``.
  init(of blob: BlobReference, in cache: CacheFolder) throws {
    self.blob = blob
    self.cache = cache
    let prefix = blob.digest.hexadecimal + "."
    let found = try FileSystem.contents(of: cache.partial).filter {
      $0.hasPrefix(prefix) && !$0.hasSuffix(".etag") && !$0.hasSuffix(".lock")
    }
    let name = found.min() ?? prefix + UUID().uuidString
    for other in found where other != name { try Self.remove("\(cache.partial)/\(other)") }
    file = try CacheFile(writing: "\(cache.partial)/\(name)")
    var start = Progress()
    if try file.identity.size <= blob.size {
      try file.forEachPart { part in
        start.hash.update(bufferPointer: part)
        start.count += part.count
      }
    } else {
      try file.truncate()
    }
    start.furthest = start.count
    progress = Mutex(start)
    try cache.environment.reached(.partialOpened)
  }

  /// How many bytes there are.
  var count: Int { progress.withLock { $0.count } }

  /// How many bytes there ever were: a server that always breaks off at the same place is no progress.
  var furthest: Int { progress.withLock { $0.furthest } }

  /// The digest of what there is.
  var digest: BlobDigest { BlobDigest(progress.withLock { $0.hash }.finalize()) }

  /// What the server calls this content; nil when it is not known.
  ///
  /// - Throws: ``FileFailure`` when it could be read in another moment.
  func etag() throws -> String? {
    try CacheFile.contents(of: file.path + ".etag", upTo: Self.maximumETagBytes)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The most bytes that an ETag may have: more than a server's answer can name.
  private static let maximumETagBytes = 1 << 20

  /// Keeps what the server calls this content.
  ///
  /// - Throws: ``FileFailure``.
  func note(etag: String?) throws {
    guard let etag else { return try FileSystem.remove(file.path + ".etag") }
    let note = try CacheFile(writing: file.path + ".etag", truncating: true)
    try Data(etag.utf8).withUnsafeBytes(note.write)
  }

  /// Adds bytes.
  ///
  /// - Throws: ``FileFailure``.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try file.write(bytes)
    progress.withLock {
      $0.hash.update(bufferPointer: bytes)
      $0.count += bytes.count
      $0.furthest = max($0.furthest, $0.count)
    }
    try cache.environment.reached(.partialWritten)
  }

  /// Begins anew.
  ///
  /// - Throws: ``FileFailure``.
  func truncate() throws {
    try file.truncate()
    progress.withLock { $0 = Progress(furthest: $0.furthest) }
  }

  /// Removes the file, which is of no use.
  ///
  /// - Throws: ``FileFailure``.
  func remove() throws { try Self.remove(file.path) }

  /// Puts the file into the store, which the caller found to be what it should.
  ///
  /// - Throws: ``FileFailure``; nothing is in the store then.
  func finish() throws {
    try cache.environment.reached(.partialComplete)
    do {
      try file.flush()
    } catch {
      // The system tells of a failed write once: the file would pass for whole the next time.
      try? Self.remove(file.path)
      throw error
    }
    try cache.environment.reached(.partialFlushed)
    try CacheFolder.rename(file.path, to: cache.blob(blob.digest))
    try cache.environment.reached(.blobRenamed)
    // Not before: who goes on with an incomplete file has to write to it.
    try file.makeReadOnly()
    try CacheFolder.flushFolder(cache.store)
    try cache.environment.reached(.blobDurable)
    cache.noteVerified(try file.identity, blob.digest)
    try FileSystem.remove(file.path + ".etag")
  }

  private static func remove(_ path: String) throws {
    try FileSystem.remove(path)
    try FileSystem.remove(path + ".etag")
  }
}
#endif
