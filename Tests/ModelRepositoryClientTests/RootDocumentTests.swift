// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryClient

/// Tests clients of a repository whose keys are replaced.
@Suite(.timeLimit(.minutes(10))) struct RootDocumentTests {
  private let rootKey = SigningKey()
  private let next = SigningKey()

  private func root(
    _ version: Int, channels: [SigningKey], revoked: [SigningKey] = [], by signers: [SigningKey]
  ) throws -> SignedDocument {
    try SignedDocument(
      RootDocument(
        version: version, issued: TestRepository.issued, expires: TestRepository.expires,
        root: RootDocument.RootRole(threshold: 1, keys: [rootKey.verificationKey]),
        channels: RootDocument.ChannelRole(
          keys: channels.map { RootDocument.ChannelKey($0.verificationKey) },
          revoked: revoked.map(\.verificationKey))), by: signers)
  }

  private func code(
    _ repository: TestRepository, _ environment: ClientEnvironment = ClientEnvironment()
  ) async throws -> ModelRepositoryClientError.Code? {
    do {
      _ = try await repository.client(environment).update(.digits)
      return nil
    } catch let error as ModelRepositoryClientError {
      return error.code
    }
  }

  /// Makes a repository whose stolen key signed a document with the highest version.
  private func robbed() async throws -> TestRepository {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    #expect(try await repository.use() == "1.0")
    let bad = try repository.publish("6.6.6", 6, TestRepository.files("6.6.6"))
    try repository.point(to: bad) { $0.documentVersion = ChannelDocument.maximumVersion }
    #expect(try await repository.use() == "6.6.6")
    return repository
  }

  @Test func `replacing a stolen key also discards its document versions and models`() async throws
  {
    let repository = try await robbed()
    let good = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: good)
    #expect(try await code(repository) == .replayed)

    // The repository had no root document, so the stolen key, which the owner has too, signs it.
    try repository.serve(
      roots: [root(1, channels: [next], revoked: [repository.key], by: [rootKey, repository.key])])
    try repository.point(to: good, by: [next]) { ($0.documentVersion, $0.root) = (3, 1) }
    let client = try repository.client()
    #expect(try client.installed(.digits).version?.text == "6.6.6")
    _ = try await client.update(.digits)
    // Nothing that only the thief signed is left, even in this process.
    #expect(try client.installed(.digits).version?.text == "2.0")
    let state = try #require(try client.models().first)
    #expect(state.previous == nil)

    // The thief's document and an older one of the owner are rejected.
    let bad = try repository.publish("6.6.6", 6, TestRepository.files("6.6.6"))
    try repository.point(to: bad) { $0.documentVersion = ChannelDocument.maximumVersion }
    #expect(try await code(repository) == .untrusted)
    try repository.point(to: good, by: [next]) { ($0.documentVersion, $0.root) = (2, 1) }
    #expect(try await code(repository) == .replayed)
    // The thief can't sign a later root document.
    try repository.serve(roots: [
      root(1, channels: [next], by: [rootKey, repository.key]),
      root(2, channels: [repository.key], by: [repository.key]),
    ])
    try repository.point(to: bad) { ($0.documentVersion, $0.root) = (99, 2) }
    #expect(try await code(repository) == .untrusted)
  }

  @Test func `a cache from an older version of the library still rejects replays`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    let old = try repository.point(to: repository.publish("1.0", 1, TestRepository.files("1.0")))
    try repository.ship("2.0", 2)
    #expect(try await repository.use() == "2.0")
    // This is the format that an older version of the library wrote.
    let file = repository.stateFile
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let bare = text.replacing(#/,"versions":\{[^}]*\}/#, with: "")
      .replacing(#/"keys":\[[^\]]*\],/#, with: "")
    #expect(bare != text)
    try bare.write(toFile: file, atomically: true, encoding: .utf8)
    try repository.serve(old)
    #expect(try await code(repository) == .replayed)
    #expect(try repository.proven() == "2.0")
  }

  @Test func `clients follow any number of planned key changes`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    #expect(try await repository.use() == "1.0")
    let keys = (0..<5).map { _ in SigningKey() }
    var roots = [try root(1, channels: [repository.key], by: [rootKey, repository.key])]
    for (index, key) in keys.enumerated() {
      roots.append(try root(index + 2, channels: [key], by: [rootKey]))
    }
    try repository.serve(roots: roots)
    let release = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: release, by: [keys[4]]) { $0.root = 6 }
    _ = repository.server.takeRequests()
    #expect(try await repository.use() == "2.0")
    #expect(repository.server.takeRequests().filter { $0.path.hasPrefix("/v1/root") }.count == 7)
    // Known root documents aren't requested again.
    try repository.point(to: release, by: [keys[4]]) { $0.root = 6 }
    #expect(try await repository.use() == "2.0")
    #expect(!repository.server.takeRequests().contains { $0.path.hasPrefix("/v1/root") })
    // A new installation can start from the first key or from the root key.
    for key in [repository.key, rootKey] {
      let client = try repository.client {
        $0.keys = [key.verificationKey]
        $0.folder += "/\(key.verificationKey.id)"
      }
      #expect(try await client.update(.digits).version.text == "2.0")
    }
    let client = try repository.client {
      ($0.keys, $0.root) = ([], roots[2])
      $0.folder += "/pinned"
    }
    #expect(try await client.update(.digits).version.text == "2.0")
  }

  @Test func `a hidden, skipped, replayed or expired root document is detected`()
    async throws
  {
    let repository = try await TestRepository()
    let release = try repository.ship("1.0", 1)
    let first = try root(1, channels: [repository.key], by: [rootKey, repository.key])
    let second = try root(2, channels: [repository.key, next], by: [rootKey])
    let third = try root(3, channels: [repository.key, next], by: [rootKey])
    // The document names a newer root document than the server has.
    try repository.serve(roots: [first])
    try repository.point(to: release) { $0.root = 2 }
    #expect(try await code(repository) == .untrusted)
    // One root document is skipped, then an old one replaces a new one.
    try repository.serve(roots: [first, third])
    #expect(try await code(repository) == .replayed)
    try repository.serve(roots: [first, first])
    #expect(try await code(repository) == .replayed)
    try repository.serve(roots: [first, second])
    #expect(try await code(repository) == nil)
    // The document requires the third root document, which the server doesn't have.
    try repository.point(to: release) { $0.root = 3 }
    #expect(try await code(repository) == .untrusted)
    var environment = ClientEnvironment()
    environment.now = { TestRepository.expires }
    try repository.point(to: release) { $0.expires += 3600 }
    #expect(try await code(repository, environment) == .expired)
    // The installed version still works.
    #expect(try repository.proven() == "1.0")
  }

  @Test func `an invalid root document is rejected`() async throws {
    let repository = try await TestRepository()
    let release = try repository.ship("1.0", 1)
    try repository.point(to: release) { $0.root = 1 }
    for bytes in [[], Array("{}".utf8), [UInt8](repeating: 0x5B, count: 9999)] {
      repository.serve(root: bytes)
      #expect(try await code(repository) == .invalidDocument)
    }
    repository.serve(root: [UInt8](repeating: 0x20, count: 1 << 20))
    #expect(try await code(repository) == .tooLarge)
  }

  @Test func `a process that ends between any two steps recovers`() async throws {
    for point in [FailurePoint.stateWritten, .stateFlushed, .stateRenamed, .stateDurable] {
      for number in 1...2 {
        let repository = try await robbed()
        let good = try repository.publish("2.0", 2, TestRepository.files("2.0"))
        try repository.serve(roots: [
          root(1, channels: [next], revoked: [repository.key], by: [rootKey, repository.key])
        ])
        try repository.point(to: good, by: [next]) { ($0.documentVersion, $0.root) = (3, 1) }
        let count = Counter()
        var environment = ClientEnvironment()
        environment.reached = { reached in
          if reached == point, count.next() == number { throw CancellationError() }
        }
        _ = try await code(repository, environment)
        #expect(try await repository.use() == "2.0")
      }
    }
  }

  @Test func `documents from the future and with very long lifetimes are rejected`() async throws {
    let repository = try await TestRepository()
    let release = try repository.ship("1.0", 1)
    #expect(try await repository.use() == "1.0")
    try repository.point(to: release) {
      $0.issued = Date.now + 2 * 3600
      $0.expires = $0.issued + 3600
    }
    #expect(try await code(repository) == .notYetValid)
    try repository.point(to: release) { $0.expires = Date.now + 3650 * 24 * 3600 }
    #expect(try await code(repository) == .invalidDocument)
    try repository.point(to: release) { $0.issued = Date.now + 1800 }
    #expect(try await code(repository) == nil)
  }
}
#endif
