// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Logging
import ModelRepositoryAPI
import NIOCore

/// How blobs leave.
///
/// Not Hummingbird's `FileMiddleware`: of 2.28 it reads `bytes=-500` as the first 501 bytes, answers
/// a start past the end with 206, and its tags change with a file's time.
struct BlobRoutes: Sendable {
  let repository: Repository
  let access: Access
  let metrics: ServerMetrics

  func add(to group: RouterGroup<WebContext>) {
    group.get("blobs/:digest") { request, context in try await answer(request, context) }
    group.head("blobs/:digest") { request, context in try await answer(request, context) }
  }

  private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
    let text = context.parameters.get("digest") ?? ""
    guard let digest = BlobDigest(text.removingPercentEncoding ?? text) else {
      throw Problem.badRequest(
        "A blob is named by 'sha256:' and 64 lowercase hexadecimal digits.", code: "invalid_digest")
    }
    try await checkAccess(to: digest, context)
    let content = try await content(of: digest, context)
    return try await response(to: request, context, content, digest)
  }

  /// A blob: of those that are asked for often, the small ones are in memory.
  private func content(
    of digest: BlobDigest, _ context: WebContext
  ) async throws -> any BlobContent {
    if let content = repository.smallBlobs[digest] { return content }
    let changes = repository.smallBlobs.changes
    let size = try await repository.database.read { database in
      try Int.fetchOne(
        database, sql: "SELECT size FROM blobs WHERE digest = ?", arguments: [digest.hexadecimal])
    }
    // Opened once: what is measured here is what is sent, whatever happens to the file meanwhile.
    guard let size, let content = try await repository.blobs.open(digest) else {
      throw Problem.notFound("blob_not_found", "There is no blob '\(digest)'.")
    }
    guard content.size == size else {
      throw damaged(digest, "has \(content.size) bytes instead of \(size)", context)
    }
    guard size <= MemoryBlob.maximumSize else { return content }
    let bytes = try await content.bytes(in: 0..<size)
    guard let blob = MemoryBlob(bytes, digest, isPublic: access.isPublic) else {
      throw damaged(digest, "has other bytes than were uploaded", context)
    }
    repository.smallBlobs.keep(blob, for: digest, size: size + MemoryBlob.overhead, since: changes)
    return blob
  }

  private func damaged(_ digest: BlobDigest, _ what: String, _ context: WebContext) -> Problem {
    context.logger.error("blob \(digest) \(what)")
    return Problem(
      .internalServerError, "blob_damaged", "The blob is damaged; 'fsck' and upload it again.")
  }

  private func response(
    to request: Request, _ context: WebContext, _ content: any BlobContent, _ digest: BlobDigest
  ) async throws -> Response {
    let answer = try BlobAnswer(request.head, digest, size: content.size, isPublic: access.isPublic)
    guard answer.status != .notModified else { return .notModified(answer.headers) }
    guard let part = answer.part else {
      return Response(status: answer.status, headers: answer.headers)
    }
    let body = try await body(content, part, context)
    return Response(status: answer.status, headers: answer.headers, body: body)
  }

  /// Sends piece by piece; a client that takes none for the idle time is left.
  private func body(
    _ content: any BlobContent, _ range: Range<Int>, _ context: WebContext
  ) async throws -> ResponseBody {
    if let blob = content as? MemoryBlob {
      metrics.sent(range.count)
      return ResponseBody(byteBuffer: blob.part(range))
    }
    let (metrics, patience) = (metrics, TimeAmount.seconds(Int64(repository.options.idleTime)))
    let (channel, logger) = (context.channel, context.logger)
    // Begun before the answer, which cannot be taken back.
    let pieces = try await content.pieces(in: range)
    return ResponseBody(contentLength: range.count) { writer in
      do {
        for try await piece in pieces {
          try Task.checkCancellation()
          let end = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
          defer { end.cancel() }
          try await writer.write(piece)
          // The writer waits for the client only once the event loop saw what it was given: without
          // this, a fast disk puts some 30 MB of a blob into memory for every client.
          try await Self.settle(channel)
          metrics.sent(piece.readableBytes)
        }
      } catch let error as RepositoryError {
        logger.error("an answer was broken off: \(error)")
        throw error
      }
      try await writer.finish(nil)
    }
  }

  /// Waits until the event loop has done what it was told so far.
  private static func settle(_ channel: any Channel) async throws {
    guard channel.isActive else { return }
    try await channel.eventLoop.submit {}.get()
  }

  /// Where reading needs a token, one that is for some models reads the blobs of these.
  private func checkAccess(to digest: BlobDigest, _ context: WebContext) async throws {
    guard let token = try access.reader(context), !token.isForAllModels else { return }
    let models = try await repository.database.read { database in
      try String.fetchAll(
        database, sql: "SELECT DISTINCT model FROM version_blobs WHERE digest = ?",
        arguments: [digest.hexadecimal])
    }
    guard models.contains(where: token.isFor) else {
      throw Problem.notFound("blob_not_found", "There is no blob '\(digest)'.")
    }
  }
}
