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
#endif
