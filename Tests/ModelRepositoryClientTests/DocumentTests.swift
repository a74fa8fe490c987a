// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryClient

@Suite(.timeLimit(.minutes(10))) struct ModelRepositoryDocumentTests {
  /// Makes a repository whose version 1.0 is in use.
  private func used() async throws -> TestRepository {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    #expect(try await repository.use() == "1.0")
    return repository
  }

  /// Expects that the server's document is rejected and the version in use still works.
  @discardableResult
  private func expect(
    _ code: ModelRepositoryClientError.Code, _ repository: TestRepository,
    _ environment: ClientEnvironment = ClientEnvironment(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let client = try repository.client(environment)
    let error = await #expect(
      throws: ModelRepositoryClientError.self, sourceLocation: sourceLocation
    ) { try await client.update(.digits) }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    let model = try repository.client(environment).installed(.digits)
    #expect(model.files == TestRepository.files("1.0"), sourceLocation: sourceLocation)
    return error?.message ?? ""
  }

  @Test func `an older document is rejected as a replay`() async throws {
    let repository = try await used()
    let old = try repository.point(to: nil)
    let release = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: release)
    _ = try await repository.client().update(.digits)
    try repository.serve(old)
    let client = try repository.client()
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(error?.code == .replayed)
    #expect(error?.message.contains("version 2") == true)
    #expect(error?.message.contains("version 3") == true)
    #expect(try repository.proven() == "2.0")
    // Deleting the model doesn't allow a replay.
    try client.delete(.digits)
    let again = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(again?.code == .replayed)
  }

  @Test func `a renewed document with the same version is accepted`() async throws {
    let repository = try await used()
    let release = try repository.publish("1.0", 1, TestRepository.files("1.0"))
    try repository.point(to: release) {
      $0.documentVersion = 1
      $0.expires += 3600
    }
    _ = try await repository.client().update(.digits)
  }

  @Test func `an expired document is rejected and requested again`() async throws {
    let repository = try await used()
    var environment = ClientEnvironment()
    environment.now = { TestRepository.expires }
    _ = repository.server.takeRequests()
    try await expect(.expired, repository, environment)
    // The cached document has expired too, so the client doesn't ask whether it has changed.
    #expect(repository.server.takeRequests().allSatisfy { $0.fields["if-none-match"] == nil })
    let release = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: release) { $0.expires += 1 }
    _ = try await repository.client(environment).update(.digits)
  }

  @Test func `documents of other models, channels and keys aren't trusted`() async throws {
    let repository = try await used()
    let release = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: release) { $0.model = .named("other") }
    #expect(try await expect(.untrusted, repository).contains("'other'"))
    try repository.point(to: release) { $0.channel = .named("beta") }
    #expect(try await expect(.untrusted, repository).contains("'beta'"))
    let other = try await TestRepository()
    try repository.serve(try other.point(to: release) { $0.documentVersion = 99 })
    try await expect(.untrusted, repository)
    var signed = try repository.point(to: release)
    signed.signatures = []
    try repository.serve(signed)
    try await expect(.untrusted, repository)
    var forged = try repository.point(to: release)
    forged.document[forged.document.count / 2] ^= 1
    try repository.serve(forged)
    try await expect(.untrusted, repository)
    try repository.point(to: release)
    #expect(try await repository.use() == "2.0")
  }

  @Test func `an invalid document is rejected`() async throws {
    let repository = try await used()
    for bytes in [[], Array("{}".utf8), Array("<html>".utf8), [UInt8](repeating: 0x5B, count: 999)]
    {
      try repository.serve(bytes)
      try await expect(.invalidDocument, repository)
    }
    let release = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: release) { $0.minimumSafeSequence = 3 }
    try await expect(.invalidDocument, repository)
    try repository.serve([UInt8](repeating: 0x20, count: ChannelDocument.maximumBytes + 1))
    try await expect(.tooLarge, repository)
    repository.answers { _ in
      .endless(ScriptedRepositoryServer.Answer.head("200 OK", []))
    }
    try await expect(.tooLarge, repository)
    repository.answers { _ in .reply("304 Not Modified") }
    try FileManager.default.removeItem(atPath: repository.folder)
    let client = try repository.client()
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(error?.code == .serverError)
  }

  @Test func `a manifest must match the signed release`() async throws {
    let repository = try await used()
    let files = TestRepository.files("2.0")
    var release = try repository.publish("2.0", 2, files, model: .named("other"))
    try repository.point(to: release)
    try await expect(.invalidDocument, repository)
    release = try repository.publish("2.0", 2, files)
    for change in [
      { $0.version = .named("3.0") }, { $0.size += 1 }, { $0.size -= 1 },
    ] as [(inout ChannelDocument.Release) -> Void] {
      var lie = release
      change(&lie)
      try repository.point(to: lie)
      try await expect(.invalidDocument, repository)
    }
    for path in ["../x", "/etc/x", "a/../../x", ".x", "a//b", "C:x"] {
      try repository.point(to: repository.publish("2.0", 2, [path: [1]]))
      try await expect(.invalidDocument, repository)
    }
  }

  @Test func `a missing channel or release is reported as not found`() async throws {
    let repository = try await TestRepository()
    let client = try repository.client()
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(error?.code == .notFound)
    #expect(error?.status == 404)
    #expect(error?.message.contains("channel_not_found") == true)
    try repository.point(to: nil)
    let other = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(other?.code == .notFound)
    #expect(throws: ModelRepositoryClientError.self) { try client.installed(.digits) }
  }
}
#endif
