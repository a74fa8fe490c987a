// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

@Suite struct RangeTests {
  @Test(arguments: [
    ("bytes=0-0", ByteRange.part(0..<1)), ("bytes=0-", .part(0..<10)), ("bytes=9-", .part(9..<10)),
    ("bytes=-1", .part(9..<10)), ("bytes=-10", .part(0..<10)), ("bytes=-500", .part(0..<10)),
    ("bytes=-0", .unsatisfiable), ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable),
    ("bytes=3-99999999999999999999999", .part(3..<10)),
    ("bytes=99999999999999999999999-", .unsatisfiable), ("BYTES=2-4", .part(2..<5)),
    ("bytes= 2-4 ", .part(2..<5)), ("bytes=4-2", .whole), ("bytes=0-1,3-4", .whole),
    ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole), ("bytes=+1-2", .whole),
    ("bytes=1--2", .whole), ("bytes=0x1-2", .whole), ("items=0-1", .whole), ("bytes", .whole),
    ("", .whole), ("bytes=1.0-2", .whole), ("bytes=٣-٤", .whole),
  ])
  func `a range is parsed as the standard requires`(field: String, expected: ByteRange) {
    #expect(ByteRange(field, size: 10) == expected)
  }

  @Test func `no range of an empty blob is satisfiable`() {
    #expect(ByteRange(nil, size: 0) == .whole)
    for field in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
      #expect(ByteRange(field, size: 0) == .unsatisfiable)
    }
  }

  @Test(arguments: [
    ("bytes 0-9/*", 0, 9), ("bytes 5-5/*", 5, 5), ("bytes 0-9/10", 0, 9), ("Bytes 1-2/*", 1, 2),
  ])
  func `a valid content range is parsed`(field: String, first: Int, last: Int) {
    let range = ContentRange(field)
    #expect(range?.first == first && range?.last == last)
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-9", "bytes 9-0/*", "bytes -5/*", "bytes 5-/*", "bytes */10", "0-9/*",
    "bytes 0-9/9", "bytes 0-9/x", "bytes 0-9223372036854775807/*", "bytes +0-9/*",
    "bytes 0-9/10/11", "bytes 0-99999999999999999999/*", "items 0-9/*",
  ])
  func `an invalid content range is rejected`(field: String) {
    #expect(ContentRange(field) == nil)
  }

  @Test func `every range of a blob can be requested`() async throws {
    let bytes = sampleBytes(12)
    try await TestRepository().serve { client in
      let blob = try await client.upload(bytes)
      let path = "/v1/blobs/\(blob.digest)"
      let reader = client.with(nil)
      for first in 0..<12 {
        for last in first..<14 {
          let response = try await reader.send(
            .get, path, headers: [.range: "bytes=\(first)-\(last)"], expects: 206)
          let end = min(last, 11)
          #expect(response.bytes == Array(bytes[first...end]))
          #expect(response.headers[.contentRange] == "bytes \(first)-\(end)/12")
          #expect(response.headers[.contentLength] == "\(end - first + 1)")
          #expect(response.headers[.eTag] == "\"\(blob.digest)\"")
        }
        let suffix = try await reader.send(
          .get, path, headers: [.range: "bytes=-\(first + 1)"], expects: 206)
        #expect(suffix.bytes == Array(bytes.suffix(first + 1)))
        let open = try await reader.send(
          .get, path, headers: [.range: "bytes=\(first)-"], expects: 206)
        #expect(open.bytes == Array(bytes[first...]))
      }
    }
  }

  @Test func `a range past the end is answered with 416`() async throws {
    try await TestRepository().serve { client in
      let blob = try await client.upload(sampleBytes(12))
      for range in ["bytes=12-", "bytes=12-13", "bytes=500-", "bytes=-0"] {
        let response = try await client.send(
          .get, "/v1/blobs/\(blob.digest)", headers: [.range: range], expects: 416,
          code: "range_not_satisfiable")
        #expect(response.headers[.contentRange] == "bytes */12")
      }
    }
  }

  @Test func `a range is sent only if If-Range matches the blob`() async throws {
    try await TestRepository().serve { client in
      let bytes = sampleBytes(12)
      let digest = try await client.upload(bytes).digest
      for (tag, status) in [
        ("\"\(digest)\"", 206), ("\"sha256:0\"", 200), ("W/\"\(digest)\"", 200),
        ("Sun, 22 Nov 2026 09:00:00 GMT", 200), ("*", 200),
      ] {
        let response = try await client.send(
          .get, "/v1/blobs/\(digest)", headers: [.range: "bytes=3-", .ifRange: tag],
          expects: status)
        #expect(response.bytes == (status == 206 ? Array(bytes[3...]) : bytes))
      }
      let several = try await client.send(
        .get, "/v1/blobs/\(digest)", headers: [.range: "bytes=0-1,4-5"])
      #expect(several.bytes == bytes)
    }
  }
}
#endif
