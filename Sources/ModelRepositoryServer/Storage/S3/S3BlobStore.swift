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
import NIOPosix
import WebClient

/// A store that keeps blobs in the objects `PREFIX/sha256/ab/<hex>` of a bucket.
///
/// A blob's request is signed with the blob's SHA-256, so the store rejects bytes that changed on
/// the way. Large blobs are sent in parts. The parts are hashed separately while the whole blob is
/// hashed again.
struct S3BlobStore: BlobStore {
  /// The size limits of requests; tests make them small.
  struct Limits: Sendable {
    /// The maximum number of bytes to send in one request.
    var wholeBytes = 64 << 20
    /// The minimum size of a part in bytes; a blob has at most 10,000 parts.
    var partBytes = 64 << 20
    /// The maximum number of bytes that S3 copies in one request.
    var copiedBytes = 5 << 30
    /// The number of names in a page of a list.
    var pageNames = 1000
  }

  let client: S3Client
  let limits: Limits
  /// The repository's id.
  let id: String
  /// Whether the repository may use a location that has no owner, because it has no blobs yet.
  let mayBegin: Bool
  /// The beginning of all keys.
  let root: String

  /// Creates a store without sending any request.
  init(_ client: S3Client, id: String, mayBegin: Bool, limits: Limits = Limits()) {
    self.client = client
    self.id = id
    self.mayBegin = mayBegin
    self.limits = limits
    root = client.location.prefix.isEmpty ? "" : client.location.prefix + "/"
  }

  func put(_ file: String, as blob: BlobReference) async throws {
    let key = key(blob.digest)
    let content = try await NIOThreadPool.singleton.runIfActive {
      guard let content = try FileContent(file), content.size == blob.size else {
        throw RepositoryError(.storage, "'\(file)' is no longer a file of \(blob.size) bytes.")
      }
      return content
    }
    if blob.size <= limits.wholeBytes {
      try await client.send(
        S3Request(
          method: .PUT, key: key, purpose: "stored",
          body: .file(content, 0..<blob.size, blob.digest)))
    } else {
      try await putParts(content, blob, key)
    }
    let size = try await size(of: blob.digest)
    guard size == blob.size else {
      let found = size.map { "has \($0) bytes" } ?? "is missing"
      throw RepositoryError(
        .storeUnavailable,
        "'\(client.name(of: key))' was stored with \(blob.size) bytes, but it \(found). "
          + "Check whether something else changes the bucket.")
    }
    try await NIOThreadPool.singleton.runIfActive { try FileSystem.remove(file) }
  }

  func open(_ digest: BlobDigest) async throws -> (any BlobContent)? {
    guard let (size, tag) = try await head(key(digest)) else { return nil }
    let request = S3Request(
      method: .GET, key: key(digest), purpose: "read", fields: [("if-match", tag)])
    return S3Content(client: client, request: request, size: size)
  }

  func size(of digest: BlobDigest) async throws -> Int? {
    try await head(key(digest))?.size
  }

  func delete(_ digest: BlobDigest) async throws {
    try await client.send(
      S3Request(method: .DELETE, key: key(digest), purpose: "deleted"), allowing: [404])
  }

  func quarantine(_ digest: BlobDigest) async throws {
    let key = key(digest)
    let destination = "\(root)quarantine/\(digest.quarantineName)"
    let request = S3Request(
      method: .PUT, key: destination, purpose: "copied from '\(key)'",
      fields: [
        (
          "x-amz-copy-source",
          S3Signature.escaped("/\(client.location.bucket)/\(key)", keepingSlashes: true)
        )
      ])
    let size = try await head(key)?.size
    guard size ?? 0 <= limits.copiedBytes else {
      throw RepositoryError(
        .storeUnavailable,
        "'\(client.name(of: key))' is damaged and has \(size ?? 0) bytes, but S3 copies "
          + "at most \(limits.copiedBytes) at once. Move it to '\(destination)' manually.")
    }
    _ = try await client.element(request, "CopyObjectResult")
    try await delete(digest)
  }

  func list() async throws -> [StoredBlob] {
    var blobs: [StoredBlob] = []
    var token: String?
    repeat {
      var request = S3Request(method: .GET, key: nil, purpose: "listed")
      request.query = [
        ("list-type", "2"), ("prefix", root + "sha256/"), ("max-keys", "\(limits.pageNames)"),
        // With this encoding, names with characters that XML doesn't allow don't break the list.
        ("encoding-type", "url"),
      ]
      if let token { request.query.append(("continuation-token", token)) }
      guard let page = try await client.element(request, "ListBucketResult") else { break }
      blobs += page.all("Contents").compactMap(blob)
      let isWhole = page["IsTruncated"]?.text != "true"
      let next = isWhole ? nil : page["NextContinuationToken"]?.text
      guard isWhole || (next?.isEmpty == false && next != token) else {
        throw client.failure(request, "the store's list is incomplete").error
      }
      token = next
    } while token != nil
    return blobs
  }

  // MARK: - Objects

  private func key(_ digest: BlobDigest) -> String { root + digest.storedPath }

  /// Returns an object's size and tag without reading it; nil if it doesn't exist.
  func head(_ key: String) async throws -> (size: Int, tag: String)? {
    let request = S3Request(method: .HEAD, key: key, purpose: "examined")
    let answer = try await client.send(request, allowing: [404])
    guard answer.status != 404 else { return nil }
    guard let size = answer.fields.first(name: "content-length").flatMap({ Int($0) }), size >= 0,
      let tag = answer.fields.first(name: "etag")
    else { throw client.failure(request, "the store's response contains no size or no ETag").error }
    return (size, tag)
  }

  /// Returns the blob that a list entry describes; nil if the object isn't a blob.
  private func blob(_ element: S3Element) -> StoredBlob? {
    let name = element["Key"]?.text.replacingOccurrences(of: "+", with: " ")
    guard let key = name?.removingPercentEncoding,
      let size = element["Size"].flatMap({ Int($0.text) })
    else { return nil }
    guard let digest = BlobDigest("sha256:" + key.suffix(64)), key == root + digest.storedPath
    else {
      return nil
    }
    let text = element["LastModified"]?.text ?? ""
    let date =
      (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
    // A blob without a time counts as new, so that garbage collection keeps it.
    return StoredBlob(blob: BlobReference(digest: digest, size: size), stored: date ?? Date())
  }
}

/// The repository that a location belongs to.
struct S3Owner: Codable {
  /// The repository's id.
  var id: String
}

/// The object `PREFIX/repository.json`, which records the repository that a location belongs to.
///
/// If two repositories used the same location, each would collect the other's blobs as garbage. If
/// an empty bucket answered under the same name, all blobs would seem lost.
extension S3BlobStore {
  private var ownerKey: String { root + "repository.json" }

  /// Checks that the location belongs to this repository, and claims it if that is allowed.
  func check() async throws {
    var owner = try await readOwner()
    if owner == nil, mayBegin {
      // If two repositories claim it at once, the later one gets 412, or 409 while both requests
      // are under way.
      let mark = try RepositoryJSON.encode(S3Owner(id: id))
      try await client.send(
        S3Request(
          method: .PUT, key: ownerKey, purpose: "made",
          fields: [("content-type", "application/json"), ("if-none-match", "*")],
          body: .bytes(ByteBuffer(bytes: mark))), allowing: [409, 412])
      owner = try await readOwner()
    }
    guard let owner else {
      throw RepositoryError(
        .storeUnavailable,
        "'\(client.name(of: ownerKey))' is missing at \(client.location.endpoint), although the "
          + "repository created it with its blobs. Check whether this is another bucket or an "
          + "empty one.")
    }
    guard owner == id else {
      throw RepositoryError(
        .storeUnavailable,
        "\(client.location.name) belongs to another repository: its 'repository.json' has the ID "
          + "'\(owner.prefix(60))', but this repository has the ID '\(id)'. Use another prefix.")
    }
  }

  /// Gives up a location that this repository has claimed, so that another one can use it.
  func leave() async throws {
    guard try await readOwner() == id else { return }
    try await client.send(
      S3Request(method: .DELETE, key: ownerKey, purpose: "deleted"), allowing: [404])
  }

  private func readOwner() async throws -> String? {
    let request = S3Request(method: .GET, key: ownerKey, purpose: "read")
    let (time, attempts) = (client.policy.check, min(2, client.policy.retries.attempts))
    return try await client.retrying(attempts: attempts) {
      do {
        let response = try await client.begin(request, within: time)
        let bytes = try await client.collect(response, request)
        let mark = try? RepositoryJSON.decode(S3Owner.self, from: Data(bytes.readableBytesView))
        return mark?.id ?? ""
      } catch let failure as FailedAttempt where failure.code == "NoSuchKey" {
        return nil
      }
    }
  }
}

extension S3BlobStore {
  /// Stores a large blob in parts, and removes all of them if one fails.
  func putParts(_ content: FileContent, _ blob: BlobReference, _ key: String) async throws {
    let before = try await head(key)?.tag
    let begun = try await client.element(
      S3Request(method: .POST, key: key, purpose: "stored", query: [("uploads", "")]),
      "InitiateMultipartUploadResult")
    guard let id = begun?["UploadId"]?.text, !id.isEmpty else {
      throw client.failure(
        S3Request(method: .POST, key: key, purpose: "stored"),
        "the store's response contains no upload ID"
      ).error
    }
    do {
      let tags = try await sendParts(content, blob, key, id)
      try await complete(key, id, tags, before)
    } catch {
      // This task isn't cancelled together with the request, because the store charges for parts
      // that are left behind.
      let request = S3Request(
        method: .DELETE, key: key, purpose: "aborted", query: [("uploadId", id)])
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
        method: .PUT, key: key, purpose: "stored",
        query: [("partNumber", "\(tags.count + 1)"), ("uploadId", id)],
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
      method: .POST, key: key, purpose: "stored", query: [("uploadId", id)],
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
