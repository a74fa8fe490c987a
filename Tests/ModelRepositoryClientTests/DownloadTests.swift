// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import Synchronization
import Testing

@testable import ModelRepositoryClient

@Suite(.timeLimit(.minutes(10))) struct ModelRepositoryDownloadTests {
  typealias Answer = ScriptedRepositoryServer.Answer

  /// Expects an update to fail.
  @discardableResult
  private func expect(
    _ code: ModelRepositoryClientError.Code, _ client: ModelRepositoryClient,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ModelRepositoryClientError? {
    let error = await #expect(
      throws: ModelRepositoryClientError.self, sourceLocation: sourceLocation
    ) { try await client.update(.digits) }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    return error
  }

  private func isBlob(_ request: ScriptedRepositoryServer.Request) -> Bool {
    request.path.hasPrefix("/v1/blobs/")
  }

  // MARK: - Successful downloads

  @Test func `a model is downloaded, verified and used`() async throws {
    let repository = try await TestRepository()
    let release = try repository.ship("1.0", 1, size: 300_000)
    let client = try repository.client()
    #expect(!client.isDownloaded(.digits))
    var steps: [DownloadProgress] = []
    for try await progress in client.download(.digits) { steps.append(progress) }
    #expect(steps.allSatisfy { $0.totalBytes == release.size })
    #expect(steps.map(\.receivedBytes) == steps.map(\.receivedBytes).sorted())
    #expect(steps.last?.receivedBytes == release.size)
    #expect(client.isDownloaded(.digits))
    let model = try client.installed(.digits)
    #expect(model.files == TestRepository.files("1.0", size: 300_000))
    #expect(model.version?.text == "1.0")
    #expect(model.sequence == 1)
    #expect(model.source == .repository)
    #expect(model.path.hasSuffix(".tiobundle"))
    try client.markLoaded(model)
    let state = try #require(try client.models().first)
    #expect(state.active?.isProven == true)
    #expect(state.pending == nil)
    #expect(state.documentVersions == [.stable: 1])
    #expect(repository.names(in: "partial").allSatisfy { $0.hasSuffix(".lock") })
  }

  @Test func `checking for updates costs one request`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    _ = try await repository.use()
    _ = repository.server.takeRequests()
    let version = try await repository.client().update(.digits)
    #expect(version.version.text == "1.0")
    let requests = repository.server.takeRequests()
    #expect(requests.count == 1)
    #expect(requests.first?.fields["if-none-match"] != nil)
  }

  @Test func `a version in the tflite format is installed as a file`() async throws {
    let repository = try await TestRepository()
    let bytes = [UInt8](repeating: 7, count: 100)
    try repository.point(
      to: repository.publish("1.0", 1, ["m.tflite": bytes], format: .tflite))
    let client = try repository.client()
    _ = try await client.update(.digits)
    let model = try client.installed(.digits)
    #expect(model.path.hasSuffix(".tflite"))
    #expect(FileManager.default.contents(atPath: model.path) == Data(bytes))
    #expect(try repository.client().installed(.digits).files.isEmpty)
  }

  @Test func `files with equal bytes are downloaded once`() async throws {
    let repository = try await TestRepository()
    let files: [String: [UInt8]] = ["a": [], "b": [1, 2, 3], "c/d/e": [1, 2, 3], "c/f": []]
    let release = try repository.publish("1.0", 1, files)
    try repository.point(to: release)
    let client = try repository.client()
    var last: DownloadProgress?
    for try await progress in client.download(.digits) { last = progress }
    #expect(last?.receivedBytes == 6)
    #expect(try client.installed(.digits).files == files)
    #expect(repository.server.takeRequests().filter(isBlob).count == 2)
  }

  @Test func `a running process keeps its version, and a new process gets the latest`() async throws
  {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    let running = try repository.client()
    _ = try await running.update(.digits)
    let first = try running.installed(.digits)
    try running.markLoaded(first)
    for version in 2...4 {
      try repository.ship("\(version).0", version)
      _ = try await running.update(.digits)
      #expect(try running.installed(.digits).version?.text == "1.0")
      #expect(try repository.proven() == "\(version).0")
    }
    // Its files exist as long as it runs, although no state references them.
    #expect(first.files == TestRepository.files("1.0"))
  }

  @Test func `concurrent callers share a model's download`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    let client = try repository.client()
    let versions = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await client.update(.digits).version.text } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(versions == Array(repeating: "1.0", count: 8))
    #expect(repository.server.takeRequests().filter(isBlob).count == 3)
  }

  @Test func `a token is sent only to the configured server`() async throws {
    let repository = try await TestRepository()
    let other = try await TestRepository()
    let release = try other.ship("1.0", 1)
    try repository.point(to: release)
    let port = other.server.port
    repository.answers { request in
      request.path.hasPrefix("/v1/blobs/")
        ? .reply("307 Temporary Redirect", ["Location: http://127.0.0.1:\(port)\(request.path)"])
        : nil
    }
    let client = try repository.client { $0.token = "secret" }
    _ = try await client.update(.digits)
    let ours = repository.server.takeRequests()
    #expect(ours.allSatisfy { $0.fields["authorization"] == "Bearer secret" })
    let theirs = other.server.takeRequests()
    #expect(theirs.count == 3)
    #expect(theirs.allSatisfy { $0.fields["authorization"] == nil })
  }

  // MARK: - Resuming

  @Test func `a download can resume at every byte`() async throws {
    let repository = try await TestRepository()
    let blob = (0..<48).map { UInt8($0) }
    try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
    for cut in 0...blob.count {
      try? FileManager.default.removeItem(atPath: repository.folder)
      let path = "/v1/blobs/\(BlobDigest(of: blob))"
      repository.answers { request in
        guard request.path == path, request.fields["range"] == nil, cut < blob.count else {
          return nil
        }
        return .cut(
          "200 OK", ["ETag: \"\(BlobDigest(of: blob))\"", "Content-Length: \(blob.count)"],
          body: Array(blob[..<cut]))
      }
      _ = repository.server.takeRequests()
      // Without retries, the first client fails and another one resumes.
      let client = try repository.client { $0.retries = 0 }
      if cut < blob.count { await expect(.connectionFailed, client) }
      if cut == 0 { repository.answers(nil) }
      _ = try await repository.client().update(.digits)
      #expect(try repository.client().installed(.digits).files == ["x": blob])
      let last = repository.server.takeRequests().last { $0.path == path }
      #expect(last?.fields["range"] == (0 < cut && cut < blob.count ? "bytes=\(cut)-" : nil))
      if let last, last.fields["range"] != nil {
        #expect(last.fields["if-range"] == "\"\(BlobDigest(of: blob))\"")
      }
    }
  }

  @Test func `a download resumes after each broken connection`() async throws {
    let repository = try await TestRepository()
    let blob = (0..<200).map { UInt8($0) }
    try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
    let path = "/v1/blobs/\(BlobDigest(of: blob))"
    repository.answers { request in
      guard request.path == path else { return nil }
      let start = Int(request.fields["range"]?.dropFirst(6).dropLast() ?? "0") ?? 0
      let fields = ["Content-Length: \(200 - start)"]
      let part = Array(blob[start..<min(start + 20, 200)])
      return start == 0
        ? .cut("200 OK", fields, body: part)
        : .cut("206 Partial", fields + ["Content-Range: bytes \(start)-199/200"], body: part)
    }
    // There are more cuts than retries, because progress resets the count.
    _ = try await repository.client().update(.digits)
    #expect(repository.server.takeRequests().filter { $0.path == path }.count == 10)
  }

  @Test(arguments: [
    "bytes 11-99/100", "bytes 9-99/100", "bytes 10-99/101", "bytes 10-100/100", "bytes 10-99/*",
    "bytes */100", "octets 10-99/100", "bytes 10-9/100", "nonsense", "",
  ])
  func `a response with a wrong range isn't used`(_ field: String) async throws {
    let repository = try await TestRepository()
    let blob = (0..<100).map { UInt8($0) }
    try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
    let path = "/v1/blobs/\(BlobDigest(of: blob))"
    let lies = Mutex(true)
    repository.answers { request in
      guard request.path == path else { return nil }
      guard request.fields["range"] != nil else {
        let isFirst = lies.withLock { lies in
          defer { lies = false }
          return lies
        }
        return isFirst
          ? .cut("200 OK", ["Content-Length: 100"], body: Array(blob[..<10])) : nil
      }
      let fields = field.isEmpty ? [] : ["Content-Range: \(field)"]
      return .reply("206 Partial Content", fields, body: [UInt8](repeating: 255, count: 90))
    }
    // These bytes aren't even written, so the digest needn't detect them.
    var environment = ClientEnvironment()
    environment.reached = { #expect($0 != .corruptBlobRemoved) }
    _ = try await repository.client(environment).update(.digits)
    #expect(try repository.client().installed(.digits).files == ["x": blob])
  }

  @Test func `a download starts over if the server rejects or ignores its range`() async throws {
    for status in ["416 Range Not Satisfiable", "200 OK"] {
      let repository = try await TestRepository()
      let blob = (0..<100).map { UInt8($0) }
      try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
      let path = "/v1/blobs/\(BlobDigest(of: blob))"
      let count = Counter()
      repository.answers { request in
        guard request.path == path else { return nil }
        let number = count.next()
        if number == 1 { return .cut("200 OK", ["Content-Length: 100"], body: Array(blob[..<50])) }
        if status.hasPrefix("416"), request.fields["range"] != nil { return .reply(status) }
        return .reply("200 OK", body: blob)
      }
      _ = try await repository.client().update(.digits)
      #expect(try repository.client().installed(.digits).files == ["x": blob])
    }
  }

  @Test func `a partial file that a crash left is verified before it is used`() async throws {
    let repository = try await TestRepository()
    let blob = (0..<100).map { UInt8($0) }
    try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
    let leftovers: [[UInt8]] = [
      Array(blob[..<50]), [UInt8](repeating: 0, count: 50), [UInt8](repeating: 0, count: 100),
      blob, blob + [1], [],
    ]
    for leftover in leftovers {
      try? FileManager.default.removeItem(atPath: repository.folder)
      let client = try repository.client()
      let name = "\(BlobDigest(of: blob).hexadecimal).\(UUID())"
      try Data(leftover).write(to: URL(filePath: "\(repository.folder)/partial/\(name)"))
      _ = try await client.update(.digits)
      #expect(try repository.client().installed(.digits).files == ["x": blob])
      #expect(repository.names(in: "partial").allSatisfy { $0.hasSuffix(".lock") })
    }
  }
}
#endif
