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

@Suite struct UploadTests {
  @Test func `an upload can resume at every byte, even after a restart`() async throws {
    let fixture = try await TestRepository()
    let bytes = sampleBytes(9)
    for cut in 1..<9 {
      let id = try await fixture.serve { client in
        let id = try await client.begin()
        let response = try await client.append(id, Array(bytes[..<cut]), from: 0)
        let state = try response.decoded(UploadState.self)
        #expect(state.id == id && state.offset == cut)
        #expect(response.headers[.range] == "bytes=0-\(cut - 1)")
        return id
      }
      try await fixture.serve { client in
        let state = try await client.send(.get, "/v1/uploads/\(id)").decoded(UploadState.self)
        #expect(state.offset == cut)
        let head = try await client.send(.head, "/v1/uploads/\(id)")
        #expect(head.headers[.range] == "bytes=0-\(cut - 1)")
        try await client.append(id, Array(bytes[cut...]), from: cut)
      }
      try await fixture.serve { client in
        let blob = try await client.finish(id, BlobDigest(of: bytes)).decoded(BlobReference.self)
        #expect(blob == BlobReference(digest: BlobDigest(of: bytes), size: 9))
        #expect(try await client.send(.get, "/v1/blobs/\(blob.digest)").bytes == bytes)
        try await client.send(.get, "/v1/uploads/\(id)", expects: 404, code: "upload_not_found")
      }
    }
    #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)
  }

  @Test func `the response to a wrong offset has the right one`() async throws {
    try await TestRepository().serve { client in
      let id = try await client.begin()
      try await client.append(id, [1, 2, 3], from: 0)
      for offset in [0, 1, 2, 4, 100] {
        let response = try await client.append(
          id, [4], from: offset, expects: 416, code: "wrong_offset")
        #expect(response.headers[.range] == "bytes=0-2")
      }
      try await client.append(id, [4], from: 3)
      try await client.finish(id, BlobDigest(of: [1, 2, 3, 4]))
    }
  }

  @Test func `bytes that don't match the digest are discarded`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let id = try await client.begin()
      try await client.append(id, [1, 2, 3], from: 0)
      let digest = BlobDigest(of: [1, 2, 4])
      try await client.finish(id, digest, expects: 422, code: "digest_mismatch")
      try await client.send(.get, "/v1/blobs/\(digest)", expects: 404)
      try await client.send(.get, "/v1/uploads/\(id)", expects: 404)
      #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)
    }
  }

  @Test func `a blob that exists needn't be uploaded again`() async throws {
    try await TestRepository().serve { client in
      let blob = try await client.upload([1, 2, 3])
      let answer = try await client.send(.post, "/v1/uploads?digest=\(blob.digest)")
      #expect(try answer.decoded(BlobReference.self) == blob)
      let other = BlobDigest(of: [9])
      try await client.send(.post, "/v1/uploads?digest=\(other)", expects: 201)
      try await client.send(.post, "/v1/uploads?digest=x", expects: 400, code: "invalid_digest")
      // Uploading a blob twice isn't an error.
      #expect(try await client.upload([1, 2, 3]) == blob)
    }
  }

  @Test func `the server asks for a lost file again`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let digest = try await client.upload([1, 2, 3]).digest
      try FileSystem.remove(fixture.file(of: digest))
      try await client.send(.post, "/v1/uploads?digest=\(digest)", expects: 201)
      try await client.upload([1, 2, 3])
      #expect(try await client.send(.get, "/v1/blobs/\(digest)").bytes == [1, 2, 3])
    }
  }

  @Test func `only the token that began an upload can use it`() async throws {
    let fixture = try await TestRepository()
    let other = try await fixture.makeToken("other", [.publish]).secret
    try await fixture.serve { client in
      let id = try await client.begin()
      let stranger = client.with(other)
      try await stranger.send(.get, "/v1/uploads/\(id)", expects: 404)
      try await stranger.append(id, [1], from: 0, expects: 404)
      try await stranger.finish(id, BlobDigest(of: []), expects: 404)
      try await stranger.send(.delete, "/v1/uploads/\(id)", expects: 404)
      try await client.send(.delete, "/v1/uploads/\(id)", expects: 204)
      try await client.send(.delete, "/v1/uploads/\(id)", expects: 404)
    }
  }

  @Test func `blob size, quota and the number of uploads are limited`() async throws {
    let fixture = try await TestRepository {
      $0.maximumBlobBytes = 100
      $0.maximumUploadsPerToken = 3
      $0.quota = 150
    }
    try await fixture.serve { client in
      let first = try await client.begin()
      try await client.append(
        first, sampleBytes(101), from: 0, expects: 413, code: "blob_too_large")
      try await client.append(first, sampleBytes(100), from: 0)
      try await client.append(first, [1], from: 100, expects: 413, code: "blob_too_large")
      for (size, status, code) in [
        ("101", 413, "blob_too_large"), ("51", 507, "quota_exceeded"), ("-1", 400, "bad_request"),
      ] {
        try await client.send(.post, "/v1/uploads?size=\(size)", expects: status, code: code)
      }
      let second = try await client.begin()
      try await client.append(
        second, sampleBytes(51), from: 0, expects: 507, code: "quota_exceeded")
      try await client.append(second, sampleBytes(50), from: 0)
      _ = try await client.begin()
      try await client.send(.post, "/v1/uploads", expects: 429, code: "too_many_uploads")
      try await client.finish(first, BlobDigest(of: sampleBytes(100)))
      let third = try await client.begin()
      try await client.append(third, [1], from: 0, expects: 507, code: "quota_exceeded")
    }
  }

  @Test func `a client that left uploads behind can begin another after a minute`() async throws {
    let fixture = try await TestRepository { $0.maximumUploadsPerToken = 3 }
    try await fixture.serve { client in
      let first = try await client.begin()
      fixture.pass(1)
      let second = try await client.begin()
      fixture.pass(1)
      _ = try await client.begin()
      try await client.append(first, [1], from: 0)
      fixture.pass(58)
      try await client.send(.post, "/v1/uploads", expects: 429, code: "too_many_uploads")
      fixture.pass(1)
      _ = try await client.begin()
      try await client.send(.get, "/v1/uploads/\(first)", expects: 200)
      try await client.send(.get, "/v1/uploads/\(second)", expects: 404)
    }
  }

  @Test func `an idle upload is deleted`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let id = try await client.begin()
      try await client.append(id, [1], from: 0)
      fixture.pass(20 * 3600)
      try await client.append(id, [2], from: 1)
      fixture.pass(25 * 3600)
      try await client.append(id, [3], from: 2, expects: 404, code: "upload_not_found")
      _ = try await client.begin()
      #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/uploads/" + id))
    }
  }

  @Test func `invalid upload requests are rejected`() async throws {
    try await TestRepository().serve { client in
      let id = try await client.begin()
      for field in [nil, "bytes 0-2", "bytes 2-0/*", "0-2/*"] {
        try await client.send(
          .patch, "/v1/uploads/\(id)", [1, 2, 3],
          headers: field.map { [.contentRange: $0] } ?? [:], expects: 400,
          code: "invalid_content_range")
      }
      for count in [2, 4] {
        try await client.send(
          .patch, "/v1/uploads/\(id)", [1, 2, 3],
          headers: [.contentRange: "bytes 0-\(count - 1)/*"], expects: 400, code: "wrong_length")
      }
      try await client.send(.put, "/v1/uploads/\(id)", expects: 400, code: "invalid_digest")
      try await client.send(
        .put, "/v1/uploads/\(id)?digest=\(BlobDigest(of: [1]))", [1],
        headers: [.contentLength: "1"], expects: 400)
      for name in ["..", "%2e%2e", "..%2fmeta.sqlite", "%00", "x"] {
        let response = try await client.execute(
          uri: "/v1/uploads/\(name)", method: .get,
          headers: [.authorization: "Bearer \(client.token ?? "")"])
        #expect([400, 404].contains(response.status.code))
      }
    }
  }

  @Test func `an upload whose bytes are lost can be started again`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let bytes = sampleBytes(1000)
      let id = try await client.begin()
      try await client.append(id, bytes, from: 0)
      // This happens if the store moved the file and the database failed.
      try FileManager.default.removeItem(atPath: "\(fixture.folder)/uploads/\(id)")
      try await client.finish(id, BlobDigest(of: bytes), expects: 404, code: "upload_not_found")
      try await client.send(.get, "/v1/uploads/\(id)", expects: 404)
      try await client.upload(bytes)
    }
  }
}
#endif
