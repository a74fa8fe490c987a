// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

@Suite struct BlobRouteTests {
  @Test(arguments: [0, 1, 262_144, 262_145, 1_000_000])
  func `a blob is sent exactly as it was uploaded`(count: Int) async throws {
    let bytes = sampleBytes(count)
    try await TestRepository().serve(.live) { client in
      let blob = try await client.upload(bytes)
      let response = try await client.with(nil).send(.get, "/v1/blobs/\(blob.digest)")
      #expect(response.bytes == bytes)
      #expect(response.headers[.contentLength] == "\(count)")
      #expect(response.headers[.contentType] == "application/octet-stream")
      #expect(response.headers[.cacheControl]?.contains("immutable") == true)
      #expect(response.headers[.acceptRanges] == "bytes")
      #expect(response.headers[.xContentTypeOptions] == "nosniff")
      #expect(response.headers[.contentEncoding] == nil)
      let head = try await client.with(nil).send(.head, "/v1/blobs/\(blob.digest)")
      #expect(head.bytes.isEmpty)
      #expect(head.headers[.contentLength] == "\(count)")
      #expect(head.headers[.eTag] == response.headers[.eTag])
    }
  }

  @Test func `a blob isn't sent to a client that already has it`() async throws {
    try await TestRepository().serve { client in
      let digest = try await client.upload([1, 2, 3]).digest
      for tag in ["\"\(digest)\"", "W/\"\(digest)\"", "\"x\", \"\(digest)\"", "*"] {
        let response = try await client.send(
          .get, "/v1/blobs/\(digest)", headers: [.ifNoneMatch: tag], expects: 304)
        #expect(response.bytes.isEmpty)
        #expect(response.headers[.eTag] == "\"\(digest)\"")
      }
      let other = try await client.send(
        .get, "/v1/blobs/\(digest)", headers: [.ifNoneMatch: "\"x\""])
      #expect(other.bytes == [1, 2, 3])
    }
  }

  @Test func `a missing blob is answered with 404`() async throws {
    try await TestRepository().serve { client in
      let digest = BlobDigest(of: [9])
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 404, code: "blob_not_found")
      try await client.send(.head, "/v1/blobs/\(digest)", expects: 404)
    }
  }

  @Test(arguments: [
    "..", "%2e%2e", "..%2f..%2fmeta.sqlite", "sha256:..", "sha256:%2e%2e%2fx", "sha256:ABC",
    "sha256%3A" + String(repeating: "g", count: 64), "sha512:" + String(repeating: "0", count: 64),
    "sha256:" + String(repeating: "0", count: 63), "%00",
    "sha256:" + String(repeating: "A", count: 64),
  ])
  func `an invalid digest never leads to another file`(name: String) async throws {
    try await TestRepository().serve { client in
      let response = try await client.execute(uri: "/v1/blobs/" + name, method: .get)
      #expect([400, 404].contains(response.status.code), "\(response.text)")
      #expect(response.code == "invalid_digest" || response.code == "not_found")
    }
  }

  @Test func `a truncated file isn't sent`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let digest = try await client.upload(sampleBytes(100)).digest
      try Data([1]).write(to: URL(filePath: fixture.file(of: digest)))
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 500, code: "blob_damaged")
    }
  }
}
#endif
