// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Logging
import ModelRepositoryAPI
import WebServing

/// The routes that download blobs.
///
/// They don't use Hummingbird's `FileMiddleware`. Version 2.28 reads `bytes=-500` as the first 501
/// bytes, responds with 206 to a range that starts past the end, and derives its tags from the
/// file's time.
extension Routes {
  func addBlobs(to group: RouterGroup<WebContext>) {
    group.get("blobs/:digest", use: answer)
    group.head("blobs/:digest", use: answer)
  }

  private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
    let text = context.parameters.get("digest") ?? ""
    guard let digest = BlobDigest(text.removingPercentEncoding ?? text) else {
      throw Problem(
        .badRequest, "invalid_digest",
        "A blob's digest must be 'sha256:' followed by 64 lowercase hexadecimal digits.")
    }
    try await checkAccess(to: digest, context)
    let content = try await content(of: digest, context)
    let answer = try BlobAnswer(request.head, digest, size: content.size, isPublic: access.isPublic)
    guard answer.status != .notModified else { return .notModified(answer.headers) }
    guard let part = answer.part else {
      return Response(status: answer.status, headers: answer.headers)
    }
    let body: ResponseBody
    if let blob = content as? MemoryBlob {
      metrics.sent(part.count)
      body = ResponseBody(byteBuffer: blob.part(part))
    } else {
      body = try await BlobSending(context: context, metrics: metrics).body(content, part)
    }
    return Response(status: answer.status, headers: answer.headers, body: body)
  }

  /// Returns a blob; small blobs that are often requested come from memory.
  private func content(
    of digest: BlobDigest, _ context: WebContext
  ) async throws -> any BlobContent {
    if let content = repository.smallBlobs[digest] { return content }
    guard !repository.damagedBlobs.contains(digest) else {
      throw damaged(digest, "is known to be damaged", context)
    }
    let changes = repository.smallBlobs.changes
    let size = try await size(of: digest)
    // The blob is opened only once, so the bytes that are sent are those that were measured here,
    // even if the file changes meanwhile.
    guard let size, let content = try await repository.blobs.open(digest) else {
      throw Problem(.notFound, "blob_not_found", "There is no blob '\(digest)'.")
    }
    guard content.size == size else {
      _ = repository.damagedBlobs.insert(digest)
      throw damaged(digest, "has \(content.size) bytes instead of \(size)", context)
    }
    guard size <= MemoryBlob.maximumSize else { return content }
    let bytes = try await content.bytes(in: 0..<size)
    guard let blob = MemoryBlob(bytes, digest, isPublic: access.isPublic) else {
      _ = repository.damagedBlobs.insert(digest)
      throw damaged(digest, "has different bytes than were uploaded", context)
    }
    repository.smallBlobs.keep(blob, for: digest, size: size + MemoryBlob.overhead, since: changes)
    return blob
  }

  private func size(of digest: BlobDigest) async throws -> Int? {
    if let size = repository.blobSizes[digest] { return size }
    let changes = repository.blobSizes.changes
    let size = try await repository.database.read { try $0.blobSize(digest) }
    if let size, size > MemoryBlob.maximumSize {
      repository.blobSizes.keep(size, for: digest, size: 128, since: changes)
    }
    return size
  }

  private func damaged(_ digest: BlobDigest, _ what: String, _ context: WebContext) -> Problem {
    context.logger.error("blob \(digest) \(what)")
    return Problem(
      .internalServerError, "blob_damaged",
      "The blob is damaged. To replace it, push its version again.")
  }

  /// Checks whether the request's token may read a blob.
  ///
  /// If reading requires a token that is limited to some models, the token can only read the blobs
  /// of those models.
  private func checkAccess(to digest: BlobDigest, _ context: WebContext) async throws {
    guard let token = try access.reader(context), !token.isForAllModels else { return }
    let models = try await repository.database.read { database in
      try String.fetchAll(
        database, sql: "SELECT DISTINCT model FROM version_blobs WHERE digest = ?",
        arguments: [digest.hexadecimal])
    }
    guard models.contains(where: token.isFor) else {
      throw Problem(.notFound, "blob_not_found", "There is no blob '\(digest)'.")
    }
  }
}

/// Sends the bytes of a blob piece by piece.
struct BlobSending: Sendable {
  let context: WebContext
  let metrics: ServerMetrics

  /// The number of bytes of a file to send before other connections get their turn.
  private static let sendfileSize = 1 << 20

  /// Creates the body of a response, which reads the bytes when it is written.
  ///
  /// - Throws: ``RepositoryError`` if the blob is already known to be unreadable. It is thrown here
  ///   because a response can't be taken back once it has begun.
  func body(_ content: any BlobContent, _ range: Range<Int>) async throws -> ResponseBody {
    if let file = content as? FileContent, let sender = try await FileSender(context.channel) {
      return body(range) { writer in
        sender.hold()
        try await send(file, range, sender, &writer)
        sender.push()
      }
    }
    let pieces = try await content.pieces(in: range)
    return body(range) { writer in
      for try await piece in pieces { try await send(piece, &writer) }
    }
  }

  private func body(
    _ range: Range<Int>,
    _ send: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
  ) -> ResponseBody {
    ResponseBody(contentLength: range.count) { writer in
      do {
        try await send(&writer)
      } catch let error as RepositoryError {
        context.logger.error("a response was aborted: \(error)")
        throw error
      }
      try await writer.finish(nil)
    }
  }

  private func send(
    _ file: FileContent, _ range: Range<Int>, _ sender: FileSender,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let (metrics, notes) = (metrics, context.notes)
    var rest = range
    while true {
      rest = try await sender.send(file.handle, rest) { rest in
        try file.beginningInMemory(of: rest.prefix(Self.sendfileSize))
      } sent: { count in
        metrics.sent(count)
        notes.addSent(count)
      }
      guard !rest.isEmpty else { return }
      let piece = rest.prefix(blobPieceSize)
      try await send(try await file.bytes(in: piece), &writer)
      rest = piece.upperBound..<rest.upperBound
    }
  }

  private func send(_ piece: ByteBuffer, _ writer: inout any ResponseBodyWriter) async throws {
    try Task.checkCancellation()
    try await writer.write(piece)
    // The writer waits for the client only after the event loop has seen the bytes. Without this, a
    // fast disk would put about 30 MB of a blob into memory for every client.
    try await settle()
    metrics.sent(piece.readableBytes)
  }

  /// Waits until the event loop has handled everything that was submitted so far.
  private func settle() async throws {
    guard context.channel.isActive else { return }
    try await context.channel.eventLoop.submit {}.get()
  }
}
#endif
