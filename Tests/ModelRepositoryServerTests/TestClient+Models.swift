// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

extension TestClient {
  /// Uploads a version's file and manifest.
  func uploadVersion(
    _ version: String, of model: String = "cats", bytes: [UInt8]? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> BlobDigest {
    let file = try await upload(bytes ?? Array("\(model) \(version)".utf8), at: location)
    let manifest = VersionManifest(
      model: try name(model), version: try name(version), format: .tflite,
      files: [VersionManifest.File(path: "model.tflite", digest: file.digest, size: file.size)])
    return try await upload(Array(try RepositoryJSON.encode(manifest)), at: location).digest
  }

  /// Publishes a version of one small file.
  @discardableResult
  func publish(
    _ version: String, of model: String = "cats", at location: SourceLocation = #_sourceLocation
  ) async throws -> VersionRecord {
    let manifest = try await uploadVersion(version, of: model, at: location)
    return try await send(
      .post, "/v1/models/\(model)/versions", json: VersionPublication(manifest: manifest),
      expects: 201, at: location
    ).decoded(VersionRecord.self)
  }

  /// Publishes a version while garbage collection runs without a grace period.
  ///
  /// - Returns: nil if one of its blobs was collected in the meantime. Then upload it again.
  func publishUnlessCollected(
    _ version: String, bytes: [UInt8]? = nil, at location: SourceLocation = #_sourceLocation
  ) async throws -> VersionRecord? {
    guard let manifest = try? await uploadVersion(version, bytes: bytes) else { return nil }
    let response = try await execute(
      uri: "/v1/models/cats/versions", method: .post,
      headers: [.contentType: "application/json", .authorization: "Bearer \(token ?? "")"],
      body: ByteBuffer(bytes: try RepositoryJSON.encode(VersionPublication(manifest: manifest))))
    #expect([201, 422].contains(response.status.code), sourceLocation: location)
    return response.status == .created ? try response.decoded(VersionRecord.self) : nil
  }

  /// Sets a channel, or creates it if there is no tag.
  @discardableResult
  func set(
    _ channel: String = "stable", of model: String = "cats", to content: ChannelContent,
    tag: String?, expects status: Int? = nil, code: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    try await send(
      .put, "/v1/models/\(model)/channels/\(channel)", json: content,
      headers: tag.map { [.ifMatch: $0] } ?? [.ifNoneMatch: "*"],
      expects: status ?? (tag == nil ? 201 : 200), code: code, at: location)
  }

  /// Sets a channel to a version.
  @discardableResult
  func set(
    _ channel: String = "stable", to version: String, tag: String?,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let content = ChannelContent(version: try name(version))
    let response = try await set(channel, to: content, tag: tag, at: location)
    return try #require(response.headers[.eTag], sourceLocation: location)
  }

  /// Returns a channel's document after checking its signature.
  func document(
    _ channel: String = "stable", of model: String = "cats",
    at location: SourceLocation = #_sourceLocation
  ) async throws -> (document: ChannelDocument, tag: String) {
    let response = try await send(.get, "/v1/models/\(model)/channels/\(channel)", at: location)
    let tag = try #require(response.headers[.eTag], sourceLocation: location)
    return (try await verified(response), tag)
  }

  /// Returns the document in a response after checking the server's signature.
  func verified(_ response: TestResponse) async throws -> ChannelDocument {
    let list = try await with(nil).send(.get, "/v1/keys").decoded(KeyList.self)
    let keys = try list.keys.map { try VerificationKey($0.key) }
    #expect(keys.map(\.id) == list.keys.map(\.id))
    return try response.decoded(SignedDocument.self).verified(by: keys)
  }

  func name(_ text: String) throws -> RepositoryName { try #require(RepositoryName(text)) }
}
#endif
