// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryClient

/// Tests which tasks of federated rounds a client trusts.
@Suite struct FederatedClientTests {
  private let rootKey = SigningKey()
  private let next = SigningKey()
  private let round = RepositoryName.named("spring")

  /// Serves a round's task, signed by a key.
  private func serveTask(
    _ repository: TestRepository, root: Int? = nil, by key: SigningKey
  ) throws {
    let task = RoundTask(
      model: .digits, round: round,
      base: ChannelDocument.Release(
        version: .named("1.0"), sequence: 1,
        manifest: BlobReference(digest: BlobDigest(of: []), size: 1), size: 1),
      issued: TestRepository.issued, deadline: TestRepository.expires,
      plan: RoundTask.Plan(clipNorm: 1, minimumClients: 1),
      weights: [RoundTask.Weights(name: "w", shape: [2])], root: root)
    let body = Array(try RepositoryJSON.encode(try SignedDocument(task, by: [key])))
    repository.answers { request in
      request.path == "/v1/models/digits/rounds/spring" ? .reply("200 OK", body: body) : nil
    }
  }

  private func task(_ repository: TestRepository) async throws -> RoundTask {
    let client = try FederatedClient(
      server: "http://127.0.0.1:\(repository.server.port)", token: nil,
      keys: [repository.key.verificationKey], folder: repository.folder)
    return try await client.task(round, of: .digits)
  }

  @Test func `a key that was revoked once stays revoked, also for downloads`() async throws {
    let repository = try await TestRepository()
    try serveTask(repository, by: repository.key)
    #expect(try await task(repository).round == round)
    // A root document revokes the key that the program was shipped with.
    let root = RootDocument(
      version: 1, issued: TestRepository.issued, expires: TestRepository.expires,
      root: RootDocument.RootRole(threshold: 1, keys: [rootKey.verificationKey]),
      channels: RootDocument.ChannelRole(
        keys: [RootDocument.ChannelKey(next.verificationKey)],
        revoked: [repository.key.verificationKey]))
    try repository.serve(roots: [SignedDocument(root, by: [rootKey, repository.key])])
    try serveTask(repository, root: 1, by: next)
    #expect(try await task(repository).root == 1)
    // The thief of the key hides the root document.
    try repository.serve(roots: [])
    try serveTask(repository, by: repository.key)
    let error = await #expect(throws: RepositoryError.self) { try await task(repository) }
    #expect(error?.code == .untrusted)
    // Downloads share what is kept.
    try repository.ship("1.0", 1)
    let refusal = await #expect(throws: ModelRepositoryClientError.self) {
      try await repository.client().update(.digits)
    }
    #expect(refusal?.code == .untrusted)
  }

  @Test func `an upload may take until the deadline, but not forever`() {
    let now = Date.now
    for (seconds, expected) in [
      (-5, 120), (10, 120), (3600, 3600), (100_000, 21_600),
    ] as [(Double, Int)] {
      let longest = RepositoryConnection.longestUpload(until: now + seconds, at: now)
      #expect(longest > .seconds(expected - 1) && longest < .seconds(expected + 1))
    }
  }
}
#endif
