// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import WebClient

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
          .PUT, ownerKey, "made",
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
    try await client.send(S3Request(.DELETE, ownerKey, "deleted"), allowing: [404])
  }

  private func readOwner() async throws -> String? {
    let request = S3Request(.GET, ownerKey, "read")
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
#endif
