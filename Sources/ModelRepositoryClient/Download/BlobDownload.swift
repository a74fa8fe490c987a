// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Files
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import TensorIO
import WebClient

/// Downloads one blob into the store, resumes partial files, and verifies the digest.
struct BlobDownload: Sendable {
  /// The number of bytes that are collected before they are written.
  private static let batch = 1 << 20

  let cache: CacheFolder
  let exchange: RepositoryExchange
  let blob: BlobReference
  /// The blob's name in messages, such as a file's path or "The manifest".
  let name: String
  /// Called with the number of bytes on disk.
  let onProgress: @Sendable (Int) -> Void

  /// The content is wrong, and resuming can't fix it.
  private struct WrongContent: Error {
    var reason: String
    var found: BlobDigest?
  }

  private var path: String { "/v1/blobs/\(blob.digest)" }

  /// Downloads the blob, unless another download has stored it meanwhile.
  ///
  /// The caller must hold a shared lock on the store.
  ///
  /// - Throws: ``ModelRepositoryClientError``, ``FileError`` or `CancellationError`.
  func run() async throws {
    let lock = try await FileLock.waiting(
      on: "\(cache.partial)/\(blob.digest.hexadecimal).lock", creatingWith: 0o600)
    defer { withExtendedLifetime(lock) {} }
    guard try await BlockingWork.run({ try !cache.hasBlob(blob) }) else {
      return onProgress(blob.size)
    }
    var wrong = WrongContent(reason: "was not fetched")
    for _ in 0..<2 {
      let partial = try await BlockingWork.run { try PartialFile(of: blob, in: cache) }
      do {
        try await fill(partial)
        let found = partial.digest
        guard found == blob.digest else {
          throw WrongContent(reason: "had the digest \(found)", found: found)
        }
        return try await BlockingWork.run { try partial.finish() }
      } catch let error as WrongContent {
        wrong = error
        try await BlockingWork.run {
          try partial.remove()
          try cache.environment.reached(.corruptBlobRemoved)
        }
      } catch let error as FileError where error.isDiskFull {
        // The free space is only a part of the message, which can do without it.
        throw ModelRepositoryClientError.diskFull(
          needed: blob.size - partial.count,
          available: try? cache.environment.availableBytes(cache.path), name, cause: error)
      }
    }
    throw ModelRepositoryClientError(
      .corrupt,
      "\(name) should have \(blob.size) bytes and the digest \(blob.digest), but the server's "
        + "response \(wrong.reason), twice in a row. Publish the version again, or check the "
        + "proxies on the way to the server.",
      digests: (blob.digest, wrong.found))
  }

  private func fill(_ partial: PartialFile) async throws {
    var ignoredRanges = 0
    try await exchange.retrying {
      while partial.count < blob.size {
        guard try await !request(partial) else { continue }
        // The server doesn't continue at the requested offset, so request the whole blob.
        ignoredRanges += 1
        guard ignoredRanges < 3 else {
          throw ModelRepositoryClientError(
            .serverError,
            "\(name) cannot be fetched: the server sends other byte ranges than were requested.")
        }
        try await BlockingWork.run { try partial.truncate() }
      }
    }
  }

  /// Requests the missing bytes, and returns whether the response could be used.
  private func request(_ partial: PartialFile) async throws -> Bool {
    let start = partial.count
    var fields = HTTPHeaders()
    if start > 0 {
      fields.add(name: "range", value: "bytes=\(start)-")
      let etag = try await BlockingWork.run { try partial.etag() }
      if let etag { fields.add(name: "if-range", value: etag) }
    }
    onProgress(start)
    let response = try await exchange.get(path, fields)
    switch response.status.code {
    case 200:
      try checkLength(response, blob.size)
      let etag = response.headers.first(name: "etag").flatMap { $0.hasPrefix("\"") ? $0 : nil }
      try await BlockingWork.run {
        if start > 0 { try partial.truncate() }
        try partial.note(etag: etag)
      }
    case 206 where start > 0:
      let range = response.headers.first(name: "content-range").flatMap { ContentRange($0) }
      guard let range, range.first == start, range.total == blob.size else { return false }
      try checkLength(response, range.count)
    case 416 where start > 0: return false
    default:
      throw ModelRepositoryClientError(
        .serverError, "\(name) cannot be fetched: the server responded with \(response.status).",
        status: Int(response.status.code))
    }
    try await read(response, partial)
    return true
  }

  private func checkLength(_ response: HTTPClientResponse, _ expected: Int) throws {
    guard let text = response.headers.first(name: "content-length") else { return }
    guard Int(text) == expected else {
      throw WrongContent(reason: "announced \(text.prefix(20)) bytes instead of \(expected)")
    }
  }

  private func read(_ response: HTTPClientResponse, _ partial: PartialFile) async throws {
    let furthest = partial.furthest
    var collected = ByteBuffer()
    func write() async throws {
      let bytes = collected
      try await BlockingWork.run { try bytes.withUnsafeReadableBytes(partial.append) }
      collected.clear()
      onProgress(partial.count)
    }
    var parts = response.body.makeAsyncIterator()
    while true {
      let next: ByteBuffer?
      do {
        next = try await parts.next()
      } catch {
        // Keep the bytes that arrived before the connection broke.
        if collected.readableBytes > 0 { try await write() }
        throw exchange.failure(
          error, exchange.server.appending(path), madeProgress: partial.furthest > furthest)
      }
      guard var part = next else { break }
      guard partial.count + collected.readableBytes + part.readableBytes <= blob.size else {
        throw WrongContent(reason: "had more bytes")
      }
      collected.writeBuffer(&part)
      if collected.readableBytes >= Self.batch { try await write() }
    }
    if collected.readableBytes > 0 { try await write() }
    guard partial.count == blob.size else {
      throw FailedAttempt(
        ModelRepositoryClientError(
          .connectionFailed,
          "\(name) cannot be fetched: the response ended after \(partial.count) of \(blob.size) "
            + "bytes."),
        madeProgress: partial.furthest > furthest)
    }
  }
}

extension ModelRepositoryClientError {
  /// Creates an error for a blob or version that needs more bytes than are available.
  ///
  /// The available bytes are nil if the system doesn't say.
  static func diskFull(
    needed: Int, available: Int?, _ what: String, cause: (any Error)? = nil
  ) -> ModelRepositoryClientError {
    var error = ModelRepositoryClientError(
      .diskFull,
      "\(what) needs \(needed) bytes, but "
        + (available.map { "only \($0) are available" } ?? "the disk is full")
        + ". Free some space, or use another folder.", cause: cause)
    error.bytes = available.map { (needed, $0) }
    return error
  }
}
#endif
