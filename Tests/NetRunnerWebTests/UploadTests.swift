// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct UploadTests {
  /// A store with small limits and a clock that the test sets.
  private final class Fixture: Sendable {
    let scratch: ScratchFolder
    let store: UploadStore
    let instant = Instant()

    init() throws {
      scratch = try ScratchFolder()
      var limits = UploadLimits()
      limits.fileBytes = 300_000
      limits.uploadBytes = 500_000
      limits.files = 3
      limits.uploads = 2
      let instant = instant
      store = try UploadStore(
        scratch: scratch, disk: WorkQueue(threads: 1, limit: 100), limits: limits,
        now: { instant.now })
    }

    final class Instant: Sendable {
      private let state = Mutex(ContinuousClock.now)
      var now: ContinuousClock.Instant { state.withLock { $0 } }
      func advance(by duration: Duration) { state.withLock { $0 += duration } }
    }

    /// Sends a file without a length, in parts.
    func put(_ path: String, _ id: String, parts: [Int], length: Int? = nil) async throws {
      var headers = HTTPFields()
      headers[.contentLength] = length.map { "\($0)" }
      let stream = AsyncStream<ByteBuffer> { continuation in
        for part in parts { continuation.yield(ByteBuffer(repeating: 7, count: part)) }
        continuation.finish()
      }
      let request = Request(
        head: HTTPRequest(
          method: .put, scheme: "http", authority: "localhost", path: "/", headerFields: headers),
        body: RequestBody(asyncSequence: stream))
      try await store.receive(RelativePath(path), for: id, from: request)
    }

    func files(_ id: String) -> [String] {
      let folder = scratch.path + "/uploads/" + id
      return (FileManager.default.subpaths(atPath: folder) ?? [])
        .filter { FileSystem.isFile(folder + "/" + $0) }.sorted()
    }

    /// Waits for an upload's folder to be deleted, which happens in the background.
    func waitForEnd(of id: String) async throws {
      for _ in 0..<30_000 where FileSystem.isFolder(scratch.path + "/uploads/" + id) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(!FileSystem.isFolder(scratch.path + "/uploads/" + id))
    }
  }

  private static func code(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? WebError)?.code ?? "\(error)"
    }
  }

  @Test(arguments: [
    "..%2Fx", "a/../b", "%2e%2e/x", "a/%2E/b", "a%5Cb", "a%00b", "a%0Ab", "a%7Fb", "%FF", "a%2Fb",
    "%2Fetc%2Fpasswd", "a%2F%CC%81b", String(repeating: "a", count: 256),
    Array(repeating: "a", count: 17).joined(separator: "/"),
  ])
  func `an invalid path is rejected`(_ path: String) async throws {
    try await WebFixture.testDemo { client in
      let id = try await client.makeUpload()
      let code = try await client.send(.put, "uploads/\(id)/\(path)", [1], expects: 400).code
      #expect(code == "invalid_path")
    }
  }

  @Test func `paths can be in any language, with 16 parts of 255 bytes`() async throws {
    try await WebFixture.testDemo { client in
      let id = try await client.makeUpload()
      for path in [
        "%C3%BCber/%E5%86%99%E7%9C%9F%20%231.jpg", String(repeating: "a", count: 255),
        Array(repeating: "b", count: 16).joined(separator: "/"),
      ] {
        try await client.send(.put, "uploads/\(id)/\(path)", [1], expects: 204)
      }
      try await client.send(.delete, "uploads/\(id)", expects: 204)
      #expect(
        try await client.send(.put, "uploads/\(id)/x", [1], expects: 404).code == "upload_not_found"
      )
      #expect(
        try await client.send(.delete, "uploads/\(id)", expects: 404).code == "upload_not_found")
    }
  }

  @Test func `a body without a length is stored completely, and no file is overwritten`()
    async throws
  {
    let fixture = try Fixture()
    let id = try fixture.store.create()
    try await fixture.put("Photos/a.jpg", id, parts: [70_000, 1, 0, 99_999])
    let file = fixture.scratch.path + "/uploads/\(id)/files/Photos/a.jpg"
    #expect(try FileSystem.read(file).count == 170_000)
    for path in ["Photos/a.jpg", "photos/A.JPG", "photos", "PHOTOS/a.jpg/b"] {
      #expect(await Self.code { try await fixture.put(path, id, parts: [1]) } == "file_exists")
    }
    #expect(try FileSystem.read(file).count == 170_000)
    #expect(fixture.files(id) == ["files/Photos/a.jpg"])
  }

  @Test func `a file that is too large or incomplete leaves nothing behind`() async throws {
    let fixture = try Fixture()
    let id = try fixture.store.create()
    func code(_ parts: [Int], length: Int? = nil) async -> String? {
      await Self.code { try await fixture.put("x", id, parts: parts, length: length) }
    }
    #expect(await code([200_000, 100_001]) == "file_too_large")
    #expect(await code([], length: 300_001) == "file_too_large")
    #expect(await code([10], length: 20) == "incomplete_body")
    #expect(fixture.files(id).isEmpty)
    try await fixture.put("x", id, parts: [300_000])
    #expect(
      await Self.code { try await fixture.put("y", id, parts: [100_000, 100_001]) }
        == "upload_too_large")
    try await fixture.put("y", id, parts: [200_000])
    try await fixture.put("z", id, parts: [])
    #expect(await Self.code { try await fixture.put("w", id, parts: []) } == "too_many_files")
    #expect(fixture.files(id) == ["files/x", "files/y", "files/z"])
  }

  @Test func `an idle upload is deleted after six hours, and one in use is kept`() async throws {
    let fixture = try Fixture()
    let (first, second) = (try fixture.store.create(), try fixture.store.create())
    #expect(
      await Self.code { _ = try fixture.store.create() } == "too_many_uploads")
    let use = try fixture.store.use(second)
    fixture.instant.advance(by: .seconds(5 * 3600))
    fixture.store.touch(first)
    fixture.instant.advance(by: .seconds(2 * 3600))
    fixture.store.sweep()
    #expect(FileSystem.isFolder(fixture.scratch.path + "/uploads/" + first))
    fixture.instant.advance(by: .seconds(4 * 3600))
    fixture.store.sweep()
    try await fixture.waitForEnd(of: first)
    try fixture.store.delete(second)
    #expect(FileSystem.isFolder(fixture.scratch.path + "/uploads/" + second))
    #expect(await Self.code { _ = try fixture.store.use(second) } == "upload_not_found")
    withExtendedLifetime(use) {}
  }

  @Test func `a deleted upload is kept while it is used`() async throws {
    let fixture = try Fixture()
    let id = try fixture.store.create()
    var use: UploadLease? = try fixture.store.use(id)
    try fixture.store.delete(id)
    #expect(FileSystem.isFolder(fixture.scratch.path + "/uploads/" + id))
    #expect(use?.upload.isDeleted == false)
    use = nil
    try await fixture.waitForEnd(of: id)
  }

  @Test func `an upload that was idle for long makes room for a new one`() async throws {
    let fixture = try Fixture()
    let old = try fixture.store.create()
    fixture.instant.advance(by: .seconds(3600))
    _ = try fixture.store.create()
    _ = try fixture.store.create()
    try await fixture.waitForEnd(of: old)
  }

  @Test func `the folder is deleted with the store`() throws {
    var fixture: Fixture? = try Fixture()
    let path = try #require(fixture?.scratch.path)
    _ = try fixture?.store.create()
    fixture = nil
    #expect(!FileSystem.isFolder(path))
  }
}
#endif
