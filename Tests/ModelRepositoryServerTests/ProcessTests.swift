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
import TestSupport

@testable import ModelRepositoryServer

#if canImport(Glibc)
private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let openFiles = RLIMIT_NOFILE
#endif

/// Tests that affect a whole process, so each runs in its own.
@Suite(.timeLimit(.minutes(10))) struct ProcessTests {
  @Test func `an upload survives a shortage of file descriptors`() async {
    await #expect(processExitsWith: .success) {
      let bytes = sampleBytes(1000)
      try await TestRepository().serve { client in
        let id = try await client.begin()
        try await client.append(id, bytes, from: 0)
        // Files of the data folder stay open.
        var limit = rlimit()
        getrlimit(openFiles, &limit)
        let former = limit
        limit.rlim_cur = 3
        setrlimit(openFiles, &limit)
        let refusal = try await client.execute(
          uri: "/v1/uploads/\(id)?digest=\(BlobDigest(of: bytes))", method: .put,
          headers: [.authorization: "Bearer \(client.token ?? "")"])
        limit = former
        setrlimit(openFiles, &limit)
        guard refusal.status.code == 507 else {
          print(refusal.status, refusal.text)
          exit(3)
        }
        try await client.finish(id, BlobDigest(of: bytes))
      }
    }
  }

  @Test(arguments: [0, 1])
  func `a server that shuts down waits for the last responses only for a limited time`(
    seconds: Int
  ) async {
    await #expect(processExitsWith: .success) { [seconds = seconds as Int] in
      let fixture = try await TestRepository {
        $0.shutdownTime = seconds
        $0.requiresTokenToRead = false
      }
      let digest = try await fixture.serve { client in
        try await client.upload(sampleBytes(30_000_000)).digest
      }
      let server = try await fixture.server()
      let address = AsyncStream.makeStream(of: String.self)
      let running = Task { try await server.run { address.continuation.yield($0) } }
      let text = await address.stream.first { _ in true } ?? ""
      let connection = try await RawConnection(URL(string: text)?.port, reads: false)
      try await connection.send("GET /v1/blobs/\(digest) HTTP/1.1\r\nHost: x\r\n\r\n")
      let watcher = try await RawConnection(URL(string: text)?.port)
      _ = try await eventually {
        try await watcher.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        return watcher.received.contains("http_requests_in_flight 2\n")
      }
      let start = ContinuousClock.now
      kill(getpid(), SIGTERM)
      try await running.value
      let duration = ContinuousClock.now - start
      guard duration >= .seconds(seconds), duration < longestWait else {
        print(duration)
        exit(3)
      }
    }
  }
}
#endif
