// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// Net Runner whose clients leave, and which is told to end, while its models run.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct ServerEndingTests {
  /// Runs a check of the script with a server whose model counts to its input.
  private static func check(
    _ name: String, _ arguments: [String] = []
  ) async throws -> (seen: [String: JSONValue], server: RunningServer) {
    let folder = try TemporaryFolder()
    let bundle = try TemporaryBundle.slow()
    let path = "\(folder.path)/slow.tiobundle"
    try FileManager.default.copyItem(atPath: bundle.path, toPath: path)
    let json = String(decoding: try FileSystem.read(path + "/model.json"), as: UTF8.self)
    try json.replacing(#""id": "test""#, with: #""id": "slow""#)
      .write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    let server = try RunningServer(["--models", folder.path, "--grpc-port", "0"] + arguments)
    let output = try await Python.run([
      "Tools/peers/server_ending.py", name, server.place, try #require(server.callPlace),
      String(server.identifier),
    ])
    guard case .object(let seen) = try JSONValue(parsing: Data(output.utf8)) else {
      return ([:], server)
    }
    return (seen, server)
  }

  @Test func `runs end when their clients close the connection`() async throws {
    let (seen, server) = try await Self.check("leave")
    #expect(seen["half"] == .string("HTTP/1.1 499 Client Closed Request"))
    #expect(seen["status"] == .number(200))
    #expect(seen["reached"] == .number(1000))
    #expect(seen["counted"] == .number(8))
    #expect(await server.end(with: SIGTERM) == 0)
  }

  @Test func `requests in progress are finished before the server ends`() async throws {
    // A busy machine needs longer than the defaults of 15 and 30 seconds.
    let (seen, server) = try await Self.check(
      "finish", ["--time-limit", "600", "--shutdown-time", "600"])
    #expect(seen["runs"] == .array([.number(200), .number(200)]))
    #expect(seen["calls"] == .array([.array([.string("OK"), .number(20_000_000)])]))
    #expect(await server.end(with: 0) == 0)
  }

  @Test func `requests that take longer than the shutdown time are cut off`() async throws {
    let (seen, server) = try await Self.check("cut", ["--shutdown-time", "1"])
    #expect(seen["runs"] == .array([.number(0), .number(0)]))
    #expect(seen["calls"] == .array([.string("CANCELLED")]))
    #expect(await server.end(with: 0) == 0)
  }

  @Test func `a second signal cuts off the requests in progress`() async throws {
    let (seen, server) = try await Self.check("twice", ["--shutdown-time", "3600"])
    #expect(seen["still"] == .number(3))
    #expect(seen["runs"] == .array([.number(0), .number(0)]))
    #expect(seen["calls"] == .array([.string("CANCELLED")]))
    #expect(await server.end(with: 0) == 0)
  }
}
#endif
