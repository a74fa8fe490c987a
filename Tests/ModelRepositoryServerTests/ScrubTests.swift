// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// Tests blobs that are damaged at rest while a server runs, and other maintenance.
@Suite struct ScrubTests {
  @Test func `a damaged blob is found and not sent until an upload repairs it`() async throws {
    let fixture = try await TestRepository()
    let (logger, lines) = LineHandler.makeLogger()
    try await fixture.serve { client in
      let bytes = sampleBytes(300_000)
      let blob = try await client.upload(bytes)
      let path = "/v1/blobs/\(blob.digest)"
      let metrics = ServerMetrics()
      let scrubber = BlobScrubber(
        repository: client.repository, metrics: metrics, logger: logger, rate: 1 << 30)
      try await scrubber.scrub()
      #expect(try await client.send(.get, path).bytes == bytes)
      #expect(metrics.text(.init()).contains("scrubbed_blob_bytes_total 300000"))

      let hexadecimal = blob.digest.hexadecimal
      let file = fixture.file(of: blob.digest)
      var damaged = bytes
      damaged[150_000] ^= 1
      try Data(damaged).write(to: URL(filePath: file))
      try await scrubber.scrub()
      try await client.send(.get, path, expects: 500, code: "blob_damaged")
      #expect(try await client.send(.get, "/metrics").text.contains("damaged_blobs 1"))
      #expect(
        lines.withLock { $0 }.contains { $0.contains("is damaged") && $0.contains(hexadecimal) })
      // The server asks the publisher to upload the blob.
      try await client.send(.post, "/v1/uploads?digest=\(blob.digest)", expects: 201)
      try await client.upload(bytes)
      #expect(try await client.send(.get, path).bytes == bytes)
      #expect(try await client.send(.get, "/metrics").text.contains("damaged_blobs 0"))

      try Data(bytes.dropLast()).write(to: URL(filePath: file))
      try await client.send(.get, path, expects: 500, code: "blob_damaged")
      try FileSystem.remove(file)
      try await scrubber.scrub()
      try await client.send(.get, path, expects: 500, code: "blob_damaged")
    }
  }

  @Test func `uploads fail on a nearly full disk, and garbage collection still works`() async throws
  {
    let fixture = try await TestRepository()
    let id = try await fixture.serve { client in
      try await client.publish("1.0")
      try await client.publish("2.0")
      return try await client.begin()
    }
    try await fixture.serve(reserving: .max) { client in
      let refusal = try await client.append(
        id, sampleBytes(1000), from: 0, expects: 507, code: "disk_full")
      #expect(refusal.text.contains("garbage"))
      // The upload still exists because only the disk is full.
      try await client.append(id, sampleBytes(1000), from: 0, expects: 507, code: "disk_full")
      try await client.send(.post, "/v1/uploads", expects: 507, code: "disk_full")
      let tag = try await client.set(to: "1.0", tag: nil)
      _ = try await client.set(to: "2.0", tag: tag)
      try await client.send(.post, "/v1/gc")
      try await client.send(
        .post, "/v1/tokens", json: TokenRequest(name: "new", scopes: [.read]), expects: 201)
    }
    try await fixture.serve { client in
      try await client.append(id, sampleBytes(1000), from: 0)
    }
  }

  @Test func `rolling back a promotion restores the version from before its rollout`() async throws
  {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      for version in ["0.9", "1.0", "2.0"] { try await client.publish(version) }
      var tag = try await client.set(to: "0.9", tag: nil)
      tag = try await client.set(to: "1.0", tag: tag)
      for threshold in [2000, 10_000] {
        let content = ChannelContent(
          version: try client.name("1.0"),
          experiment: ChannelContent.Experiment(
            salt: "s",
            arms: [
              ChannelContent.Arm(
                name: try client.name("rollout"), threshold: threshold,
                version: try client.name("2.0"))
            ]))
        let response = try await client.set(to: content, tag: tag)
        tag = try #require(response.headers[.eTag])
      }
      tag = try await client.set(to: "2.0", tag: tag)
      let path = "/v1/models/cats/channels/stable/rollback"
      for version in ["1.0", "0.9"] {
        let response = try await client.send(.post, path, headers: [.ifMatch: tag])
        let document = try await client.verified(response)
        #expect(document.release?.version.text == version)
        #expect(document.experiment == nil)
        tag = try #require(response.headers[.eTag])
      }
    }
  }
}
#endif
