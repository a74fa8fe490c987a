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
    let size = try await repository.database.read { database in
      try Int.fetchOne(
        database, sql: "SELECT size FROM blobs WHERE digest = ?", arguments: [digest.hexadecimal])
    }
    // Opened once: what is measured here is what is sent, whatever happens to the file meanwhile.
    guard let size, let content = try await repository.blobs.open(digest) else {
      throw Problem.notFound("blob_not_found", "There is no blob '\(digest)'.")
    }
    guard content.size == size else {
      context.logger.error("blob \(digest) has \(content.size) bytes instead of \(size)")
      throw Problem(
        .internalServerError, "blob_damaged", "The blob is damaged; 'fsck' and upload it again.")
    }
    return response(to: request, context, content, tag: "\"\(digest)\"")
  }

  private func response(
    to request: Request, _ context: WebContext, _ content: any BlobContent, tag: String
  ) -> Response {
    var headers: HTTPFields = [
      .eTag: tag, .acceptRanges: "bytes",
      .cacheControl: access.isPublic
        ? "public, max-age=31536000, immutable" : "private, max-age=31536000, immutable",
    ]
    if let field = request.headers[.ifNoneMatch], EntityTag.isNamed(tag, in: field) {
      return .notModified(headers)
    }
    headers[.contentType] = "application/octet-stream"
    // A date in If-Range never fits: blobs have none.
    let isSame = request.headers[.ifRange].map { $0 == tag } ?? true
    // A range is of a GET; to a HEAD it means nothing (RFC 9110, section 14.2).
    let field = isSame && request.method == .get ? request.headers[.range] : nil
    var (status, part) = (HTTPResponse.Status.ok, 0..<content.size)
    switch ByteRange(field, size: content.size) {
    case .whole: break
    case .part(let range):
      (status, part) = (.partialContent, range)
      headers[.contentRange] =
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
    case .unsatisfiable:
      let problem = Problem(
        .rangeNotSatisfiable, "range_not_satisfiable",
        "The blob has \(content.size) bytes; none of them is in the range.",
        headers: [.contentRange: "bytes */\(content.size)", .acceptRanges: "bytes", .eTag: tag])
      return (try? problem.response) ?? Response(status: .rangeNotSatisfiable)
    }
    headers[.contentLength] = "\(part.count)"
    guard request.method == .get else { return Response(status: status, headers: headers) }
    return Response(
      status: status, headers: headers, body: body(content, part, context.channel))
  }

  /// Sends piece by piece; a client that takes none for the idle time is left.
  private func body(
    _ content: any BlobContent, _ range: Range<Int>, _ channel: any Channel
  ) -> ResponseBody {
    let (metrics, patience) = (metrics, TimeAmount.seconds(Int64(repository.options.idleTime)))
    return ResponseBody(contentLength: range.count) { writer in
      try await content.forEachPiece(in: range) { piece in
        let end = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        defer { end.cancel() }
        try await writer.write(piece)
        // The writer waits for the client only once the event loop saw what it was given: without
        // this, a fast disk puts some 30 MB of a blob into memory for every client.
        try await Self.settle(channel)
        metrics.sent(piece.readableBytes)
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
