// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import ModelRepositoryAPI

/// The routes that upload blobs.
extension Routes {
  func addUploads(to group: RouterGroup<WebContext>) {
    group.post("uploads", use: begin)
    group.get("uploads/:upload") { _, context in try await state(context) }
    group.head("uploads/:upload") { _, context in try await state(context).withoutBody() }
    group.patch("uploads/:upload", use: append)
    group.put("uploads/:upload", use: finish)
    group.delete("uploads/:upload") { _, context -> Response in
      try await uploads.cancel(Self.id(context), token(context))
      return Response(status: .noContent)
    }
  }

  private func token(_ context: WebContext) throws -> String {
    try access.require(.publish, context).id
  }

  private static func id(_ context: WebContext) -> String {
    context.parameters.get("upload") ?? ""
  }

  private func begin(_ request: Request, _ context: WebContext) async throws -> Response {
    let token = try token(context)
    if request.uri.queryParameters.has("digest") {
      let digest = try Self.digest(request)
      if let blob = try await uploads.present(digest) {
        return try .json(blob, headers: [.location: "/v1/blobs/\(digest)"])
      }
    }
    let size = try request.number("size", in: 0...Int.max) ?? 0
    _ = try await uploads.expire()
    let state = try await uploads.begin(token, size: size)
    return try .json(state, status: .created, headers: UploadStore.headers(state))
  }

  private func state(_ context: WebContext) async throws -> Response {
    let state = try await uploads.upload(Self.id(context), token(context))
    var headers = UploadStore.headers(state)
    headers[.cacheControl] = "no-store"
    return try .json(state, headers: headers)
  }

  private func append(_ request: Request, _ context: WebContext) async throws -> Response {
    let token = try token(context)
    guard let field = request.headers[.contentRange], let range = ContentRange(field) else {
      throw Problem(
        .badRequest, "invalid_content_range", "A part needs 'Content-Range: bytes FIRST-LAST/*'.")
    }
    if let length = request.headers[.contentLength], Int(length) != range.count {
      throw Problem(
        .badRequest, "wrong_length",
        "The body has \(length) bytes, but its Content-Range has \(range.count).",
        endsConnection: true)
    }
    let state = try await uploads.append(Self.id(context), token, range, request.body)
    return try .json(state, status: .accepted, headers: UploadStore.headers(state))
  }

  private func finish(_ request: Request, _ context: WebContext) async throws -> Response {
    let token = try token(context)
    let digest = try Self.digest(request)
    // Some clients announce a body with every PUT, even though it has no bytes.
    for try await part in request.body where part.readableBytes > 0 {
      throw Problem(
        .badRequest, "unexpected_body",
        "Send bytes with PATCH. PUT only finishes the upload, and must not have a body.",
        endsConnection: true)
    }
    let blob = try await uploads.finish(Self.id(context), token, as: digest)
    return try .json(blob, status: .created, headers: [.location: "/v1/blobs/\(digest)"])
  }

  private static func digest(_ request: Request) throws -> BlobDigest {
    let text = request.uri.queryParameters["digest"].map(String.init) ?? ""
    guard let digest = BlobDigest(text.removingPercentEncoding ?? text) else {
      throw Problem(
        .badRequest, "invalid_digest",
        "'digest' must be 'sha256:' followed by 64 lowercase hexadecimal digits.")
    }
    return digest
  }
}
#endif
