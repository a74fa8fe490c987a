// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1

/// Tells a repository's objects from another's, by the object `PREFIX/repository.json`.
///
/// Two repositories in one place would take each other's blobs for garbage, and an empty bucket
/// that answers under the same name would make all blobs seem lost.
struct S3Owner: Sendable {
  private struct Mark: Codable {
    var id: String
  }

  /// The repository.
  let id: String
  /// Whether it may begin in a place that is nobody's: it knows no blobs yet.
  let mayBegin: Bool

  /// Asks whether the place is this repository's, and makes it so where it may.
  ///
  /// - Parameters:
  ///   - client: Asks the store.
  ///   - root: What keys begin with.
  /// - Throws: ``RepositoryError``.
  func check(_ client: S3Client, _ root: String) async throws {
    let key = root + "repository.json"
    var owner = try await read(key, client)
    if owner == nil, mayBegin {
      // Of two that begin at once, the later one is refused: 412, or 409 while both are under way.
      let mark = try RepositoryJSON.encode(Mark(id: id))
      try await client.send(
        S3Request(
          .PUT, key, "made",
          fields: [("content-type", "application/json"), ("if-none-match", "*")],
          body: .bytes(ByteBuffer(bytes: mark))), allowing: [409, 412])
      owner = try await read(key, client)
    }
    guard let owner else {
      throw RepositoryError(
        .storeUnavailable,
        "'s3://\(client.place.bucket)/\(key)' is missing at \(client.place.endpoint), which the "
          + "repository made in the place of its blobs. Is it another bucket, or an empty one?")
    }
    guard owner == id else {
      throw RepositoryError(
        .storeUnavailable,
        "\(client.place.name) belongs to another repository: its 'repository.json' has the id "
          + "'\(owner.prefix(60))', and this one's is '\(id)'. Name another prefix.")
    }
  }

  /// Gives a place up that this repository made its own.
  ///
  /// - Throws: ``RepositoryError``.
  func leave(_ client: S3Client, _ root: String) async throws {
    let key = root + "repository.json"
    guard try await read(key, client) == id else { return }
    try await client.send(S3Request(.DELETE, key, "deleted"), allowing: [404])
  }

  private func read(_ key: String, _ client: S3Client) async throws -> String? {
    let request = S3Request(.GET, key, "read")
    let (time, attempts) = (client.retryPolicy.check, min(2, client.retryPolicy.attempts))
    return try await client.retrying(attempts: attempts) {
      do {
        let response = try await client.begin(request, within: time)
        let bytes = try await client.collect(response, request)
        let mark = try? RepositoryJSON.decode(Mark.self, from: Data(bytes.readableBytesView))
        return mark?.id ?? ""
      } catch let failure as S3Failure where failure.code == "NoSuchKey" {
        return nil
      }
    }
  }
}
#endif
