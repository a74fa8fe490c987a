// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import WebClient

extension S3BlobStore {
  /// Stores a large blob in parts, and removes all of them if one fails.
  func putParts(_ content: FileContent, _ blob: BlobReference, _ key: String) async throws {
    let before = try await head(key)?.tag
    let begun = try await client.element(
      S3Request(.POST, key, "stored", query: [("uploads", "")]), "InitiateMultipartUploadResult")
    guard let id = begun?["UploadId"]?.text, !id.isEmpty else {
      throw client.failure(
        S3Request(.POST, key, "stored"),
        "the store's response contains no upload ID"
      ).error
    }
    do {
      let tags = try await sendParts(content, blob, key, id)
      try await complete(key, id, tags, before)
    } catch {
      // This task isn't cancelled together with the request, because the store charges for parts
      // that are left behind.
      let request = S3Request(.DELETE, key, "aborted", query: [("uploadId", id)])
      _ = try? await Task { try await client.send(request, allowing: [404]) }.value
      throw error
    }
  }

  /// Sends the parts one by one, and returns their entity tags.
  private func sendParts(
    _ content: FileContent, _ blob: BlobReference, _ key: String, _ id: String
  ) async throws -> [String] {
    let size = max(limits.partBytes, (blob.size + 9999) / 10_000)
    var whole = SHA256()
    var tags: [String] = []
    for start in stride(from: 0, to: blob.size, by: size) {
      let range = start..<min(start + size, blob.size)
      var hash = SHA256()
      try await content.forEachPiece(in: range) { piece in
        let data = Data(piece.readableBytesView)
        hash.update(data: data)
        whole.update(data: data)
      }
      if range.upperBound == blob.size, BlobDigest(whole.finalize()) != blob.digest {
        throw RepositoryError(.storage, "An upload's file has different bytes than were uploaded.")
      }
      let request = S3Request(
        .PUT, key, "stored", query: [("partNumber", "\(tags.count + 1)"), ("uploadId", id)],
        body: .file(content, range, BlobDigest(hash.finalize())))
      guard let tag = try await client.send(request).fields.first(name: "etag") else {
        throw client.failure(request, "the store's response contains no ETag for a part").error
      }
      tags.append(tag)
    }
    return tags
  }

  /// Combines the parts into an object.
  ///
  /// If the response was lost and the request is retried, the store doesn't know the upload any
  /// more. In that case, the upload succeeded if the object's tag has changed.
  private func complete(
    _ key: String, _ id: String, _ tags: [String], _ before: String?
  ) async throws {
    let parts = tags.enumerated().map {
      "<Part><PartNumber>\($0 + 1)</PartNumber><ETag>\(S3Element.escaped($1))</ETag></Part>"
    }
    let text =
      "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      + parts.joined() + "</CompleteMultipartUpload>"
    let request = S3Request(
      .POST, key, "stored", query: [("uploadId", id)],
      fields: [("content-type", "application/xml")], body: .bytes(ByteBuffer(string: text)))
    let answer = try await client.element(
      request, "CompleteMultipartUploadResult", allowing: ["NoSuchUpload"])
    guard answer == nil else { return }
    let after = try await head(key)?.tag
    guard after != nil, after != before else {
      throw client.failure(request, "the store has lost the parts").error
    }
  }
}
#endif
