// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import NIOCore
import Testing
import TestSupport

@testable import ModelRepositoryClient

@Suite(.timeLimit(.minutes(10))) struct ModelRepositoryDownloadFailureTests {
  typealias Answer = ScriptedRepositoryServer.Answer

  private static let blob = (0..<100).map { UInt8($0) }

  /// Makes a repository with a version of one file whose download the test controls.
  private func repository(
    of blob: [UInt8] = blob, _ answer: @escaping @Sendable (_ number: Int) -> Answer?
  ) async throws -> TestRepository {
    let repository = try await TestRepository()
    try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
    let path = "/v1/blobs/\(BlobDigest(of: blob))"
    let count = Counter()
    repository.answers { $0.path == path ? answer(count.next()) : nil }
    return repository
  }

  @discardableResult
  private func expect(
    _ code: ModelRepositoryClientError.Code, _ repository: TestRepository,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout ModelRepositoryConfiguration) -> Void = { _ in }
  ) async throws -> ModelRepositoryClientError? {
    let client = try repository.client(ClientEnvironment(), change)
    let error = await #expect(
      throws: ModelRepositoryClientError.self, sourceLocation: sourceLocation
    ) { try await client.update(.digits) }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    #expect(!client.isDownloaded(.digits), sourceLocation: sourceLocation)
    #expect(
      !FileManager.default.fileExists(atPath: repository.stored(Self.blob)),
      sourceLocation: sourceLocation)
    return error
  }

  @Test func `a flipped byte at any position is found, and the file is downloaded again`()
    async throws
  {
    for position in 0..<Self.blob.count {
      var wrong = Self.blob
      wrong[position] ^= 1
      let repository = try await repository { [wrong] number in
        number == 1 ? .reply("200 OK", body: wrong) : nil
      }
      _ = try await repository.client().update(.digits)
      #expect(try repository.client().installed(.digits).files == ["x": Self.blob])
    }
  }

  @Test func `repeatedly wrong bytes are an error with both digests`() async throws {
    let wrong = [UInt8](repeating: 9, count: 100)
    let repository = try await repository { _ in .reply("200 OK", body: wrong) }
    let error = try await expect(.corrupt, repository)
    #expect(error?.digests?.expected == BlobDigest(of: Self.blob))
    #expect(error?.digests?.found == BlobDigest(of: wrong))
    #expect(error?.message.contains("'x'") == true)
    #expect(repository.server.takeRequests().count { $0.path.hasPrefix("/v1/blobs/") } == 3)
    #expect(repository.names(in: "partial").allSatisfy { $0.hasSuffix(".lock") })
  }

  @Test func `bodies that are too long or too short are rejected`() async throws {
    let blob = Self.blob
    let lies: [Answer] = [
      .reply("200 OK", body: blob + [0]), .reply("200 OK", body: Array(blob.dropLast())),
      .cut("200 OK", [], body: blob + [0]), .endless(Answer.head("200 OK", [])),
      .endless(Answer.head("200 OK", ["Transfer-Encoding: chunked"]) + Array("ffffffff\r\n".utf8)),
      .endless(Answer.head("200 OK", ["Content-Length: 99999999999"])),
    ]
    for lie in lies {
      try await expect(.corrupt, repository { _ in lie })
    }
    try await expect(
      .connectionFailed, repository { _ in .cut("200 OK", [], body: Array(blob.dropLast())) })
    try await expect(
      .connectionFailed,
      repository { _ in .cut("200 OK", ["Content-Length: 100"], body: Array(blob[..<9])) })
  }

  @Test func `temporary server errors are retried`() async throws {
    for status in ["500 No", "502 No", "503 No", "429 Later", "408 Slow"] {
      let repository = try await repository { number in number < 3 ? .reply(status) : nil }
      _ = try await repository.client().update(.digits)
    }
    let error = try await expect(.serverError, repository { _ in .reply("503 No") })
    #expect(error?.status == 503)
    let limited = try await expect(
      .serverError, repository { _ in .reply("429 Later", ["Retry-After: 86400"]) })
    #expect(limited?.status == 429)
  }

  @Test func `the client waits as long as Retry-After says`() async throws {
    let repository = try await repository { number in
      number == 1 ? .reply("503 Later", ["Retry-After: 1"]) : nil
    }
    let start = ContinuousClock.now
    _ = try await repository.client().update(.digits)
    #expect(ContinuousClock.now - start >= .seconds(1))
  }

  @Test func `a permanent error isn't retried`() async throws {
    for (status, code) in [
      ("404 Not Found", ModelRepositoryClientError.Code.notFound), ("410 Gone", .notFound),
      ("401 Unauthorized", .unauthorized), ("403 Forbidden", .unauthorized),
      ("400 Bad", .serverError), ("204 No Content", .serverError), ("416 No", .serverError),
      ("206 Partial Content", .serverError), ("304 Not Modified", .serverError),
    ] {
      let repository = try await repository { number in
        .cut(status, [], body: [])
      }
      try await expect(code, repository)
      let count = repository.server.takeRequests().count {
        $0.path.hasSuffix(BlobDigest(of: Self.blob).hexadecimal)
      }
      #expect(count <= 2, "\(status)")
    }
  }

  @Test func `a silent server times out`() async throws {
    func impatient(_ configuration: inout ModelRepositoryConfiguration) {
      configuration.stallTimeout = .seconds(2)
      configuration.retries = 1
    }
    let head = Answer.head("200 OK", ["Content-Length: 100"])
    try await expect(.timedOut, repository { _ in .bytes(head, closes: false) }, impatient)
    try await expect(.timedOut, repository { _ in .bytes([], closes: false) }, impatient)
  }

  @Test func `a slow server doesn't time out`() async throws {
    // 100 zeros, one every 120 ms, take 12 s: longer than the stall timeout. They are the wrong
    // bytes. A machine that is busy may delay a byte by seconds, which the timeout must allow.
    let head = Answer.head("200 OK", ["Content-Length: 100"])
    let slow = try await repository { _ in .drip(head, every: .milliseconds(120)) }
    try await expect(.corrupt, slow) {
      $0.stallTimeout = .seconds(10)
      $0.retries = 0
    }
  }

  @Test func `a server that doesn't answer is a failed connection`() async throws {
    let honest = try await repository { _ in nil }
    try await expect(.connectionFailed, honest) { $0.server = "http://127.0.0.1:1" }
    try await expect(.connectionFailed, repository { _ in .bytes([], closes: true) })
    try await expect(
      .connectionFailed, repository { _ in .bytes(Array("SSH-2.0\r\n\r\n".utf8), closes: true) })
  }

  @Test func `compressed responses are rejected`() async throws {
    try await expect(
      .serverError,
      repository { _ in .reply("200 OK", ["Content-Encoding: gzip"], body: Self.blob) })
  }

  @Test(arguments: [
    "http://192.0.2.1/", "http://10.0.0.1/x", "file:///etc/passwd", "//192.0.2.1/", "gopher://x/",
    "http://user:secret@127.0.0.1/", "http://localhost.example/",
  ])
  func `redirections to unsafe addresses aren't followed`(_ location: String) async throws {
    try await expect(
      .serverError, repository { _ in .reply("302 Found", ["Location: \(location)"]) })
  }

  @Test func `circular redirections end`() async throws {
    let repository = try await TestRepository()
    repository.answers { .reply("302 Found", ["Location: \($0.path)"]) }
    try await expect(.serverError, repository)
    #expect(repository.server.takeRequests().count == 6)
  }

  @Test func `too little disk space is reported with the needed and available bytes`() async throws
  {
    let repository = try await repository { _ in nil }
    var environment = ClientEnvironment()
    environment.availableBytes = { _ in 99 }
    let client = try repository.client(environment)
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(error?.code == .diskFull)
    #expect(error?.bytes?.needed == 100)
    #expect(error?.bytes?.available == 99)
    environment.availableBytes = { _ in 100 }
    _ = try await repository.client(environment).update(.digits)
  }

  @Test func `a version over the size limit isn't downloaded`() async throws {
    let repository = try await repository { _ in nil }
    try await expect(.tooLarge, repository) { $0.maximumBytes = 99 }
    #expect(repository.server.takeRequests().count == 1)
  }

  @Test func `a cancelled task ends the download, which can resume later`() async throws {
    // A client writes to the disk after each megabyte.
    let blob = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let repository = try await repository(of: blob) { number in
      number == 1
        ? .bytes(
          Answer.head("200 OK", ["Content-Length: \(blob.count)"]) + blob[..<(2 << 20)],
          closes: false) : nil
    }
    func partSize() -> Int {
      repository.names(in: "partial").filter { !$0.hasSuffix(".lock") }.map {
        FileManager.default.contents(atPath: "\(repository.folder)/partial/\($0)")?.count ?? 0
      }.max() ?? 0
    }
    let client = try repository.client()
    let task = Task {
      for try await _ in client.download(.digits) {}
      return Task.isCancelled
    }
    #expect(try await eventually { partSize() >= 1 << 20 })
    task.cancel()
    #expect(try await task.value)
    let kept = partSize()
    let other = Task { try await client.update(.digits) }
    #expect(try await other.value.version.text == "1.0")
    // Bytes that were being written during the cancellation are kept too.
    let range = try #require(repository.server.takeRequests().last?.fields["range"])
    let start = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
    #expect((kept...2 << 20).contains(start), "\(range)")
  }

  @Test func `a caller's cancellation doesn't end the download of others`() async throws {
    let blob = Self.blob
    let repository = try await repository { _ in
      .drip(
        Answer.head("200 OK", ["Content-Length: 100"]) + blob[..<0], every: .milliseconds(200))
    }
    let client = try repository.client()
    let (progress, told) = AsyncStream<Void>.makeStream()
    let second = Task {
      for try await _ in client.download(.digits) { told.yield() }
    }
    _ = await progress.first { true }
    let first = Task { try await client.update(.digits) }
    first.cancel()
    let error = await #expect(throws: ModelRepositoryClientError.self) { try await first.value }
    #expect(error?.code == .cancelled)
    try client.delete(.digits)
    let other = await #expect(throws: ModelRepositoryClientError.self) { try await second.value }
    #expect(other?.code == .cancelled)
  }

  @Test func `conditions are checked before any request`() async throws {
    let repository = try await repository { _ in nil }
    var environment = ClientEnvironment()
    environment.device.environment = ["TENSORIO_METERED": "1"]
    let client = try repository.client(environment)
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits, conditions: .init(allowsCellularAccess: false))
    }
    #expect(error?.code == .conditionsNotMet)
    await #expect(throws: ModelRepositoryClientError.self) {
      for try await _ in client.download(.digits, conditions: .init(allowsCellularAccess: false)) {}
    }
    #expect(repository.server.takeRequests().isEmpty)
    _ = try await client.update(.digits)
  }
}
#endif
