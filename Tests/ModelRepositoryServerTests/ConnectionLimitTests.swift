// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import ModelRepositoryAPI
import NIOCore
import NIOPosix
import Testing

@testable import ModelRepositoryServer
@testable import WebServing

/// Clients that open many connections, and requests that two servers could read differently.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
  @Test func `slow clients don't keep others from being answered`() async throws {
    let fixture = try await TestRepository { $0.connectionsPerAddress = 20 }
    try await fixture.serve(.live) { client in
      var slow: [RawConnection] = []
      for _ in 0..<60 {
        let connection = try await RawConnection(client.client.port)
        try? await connection.send("GET /v1/models HTTP/1.1\r\nX-Slow: ")
        slow.append(connection)
      }
      let new = try await RawConnection(client.client.port)
      try await new.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await new.wait { new.received.contains("200 OK") })
      // The oldest connections made room.
      #expect(try await new.wait { slow.filter { !$0.isClosed }.count <= 20 })
      #expect(slow[0].isClosed && !slow[59].isClosed)
    }
  }

  @Test func `connections with a request in progress aren't closed to make room`() async throws {
    let fixture = try await TestRepository {
      $0.connectionsPerAddress = 3
      $0.minimumBodyRate = 0
    }
    try await fixture.serve(.live) { client in
      var busy: [RawConnection] = []
      for _ in 0..<2 {
        let id = try await client.begin()
        let connection = try await RawConnection(client.client.port)
        try await connection.send(
          "PATCH /v1/uploads/\(id) HTTP/1.1\r\nHost: x\r\n"
            + "Authorization: Bearer \(client.token ?? "")\r\n"
            + "Content-Range: bytes 0-999/*\r\nContent-Length: 1000\r\n\r\nx")
        busy.append(connection)
      }
      #expect(try await client.hasUnderWay(3))
      for _ in 0..<5 { try await client.with(nil).send(.get, "/healthz") }
      #expect(!busy[0].isClosed)
    }
  }

  @Test(arguments: [
    ("", "400 Bad Request"),
    ("Host: a\r\nHost: b\r\n", "400 Bad Request"),
    ("Host: a, b\r\n", "400 Bad Request"),
    ("Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", "501 Not Implemented"),
    ("Host: a\r\n", "200 OK"),
  ])
  func `a request that could be read in two ways is rejected`(
    _ fields: String, _ status: String
  ) async throws {
    try await TestRepository().serve(.live) { client in
      let connection = try await RawConnection(client.client.port)
      try await connection.send("GET /healthz HTTP/1.1\r\n\(fields)\r\n")
      _ = try await connection.wait { connection.received.contains("\r\n\r\n") }
      #expect(connection.received.contains(status), "\(connection.received.prefix(400))")
    }
  }

  @Test func `a request for a small blob needs exactly one host`() async throws {
    try await TestRepository().serve(.live) { client in
      let blob = try await client.upload([1, 2, 3])
      for fields in ["Host: a\r\nHost: b\r\n", ""] {
        try await client.send(.get, "/v1/blobs/\(blob.digest)")
        let connection = try await RawConnection(client.client.port)
        try await connection.send("GET /v1/blobs/\(blob.digest) HTTP/1.1\r\n\(fields)\r\n")
        #expect(try await connection.wait { connection.received.contains("400 Bad Request") })
      }
    }
  }

  @Test func `connections above the spare ones are refused if all are being answered`() async throws
  {
    let limits = ConnectionLimits(total: 1, perAddress: 10_000, logger: Logger(label: "test"))
    let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    var busy: [ConnectionLimits.Connection] = []
    for _ in 0..<(1 + ConnectionLimits.spare) {
      let connection = try #require(limits.admit(channel))
      connection.setWaiting(false)
      busy.append(connection)
    }
    #expect(limits.admit(channel) == nil)
    limits.remove(busy[0])
    #expect(limits.admit(channel) != nil)
    try await channel.close()
  }

  @Test func `addresses of one IPv6 network count together`() {
    #expect(ConnectionLimits.key("10.0.0.1") == "10.0.0.1")
    #expect(ConnectionLimits.key("::ffff:10.0.0.1") == "10.0.0.1")
    #expect(ConnectionLimits.key("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64")
    #expect(ConnectionLimits.key("2001:db8:1:2::9") == "2001:db8:1:2::/64")
    #expect(ConnectionLimits.key("2001:db8::9") == "2001:db8:0:0::/64")
  }

  @Test func `an unusable certificate is reported before the folder is created`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID())").path
    var options = ModelRepositoryOptions(dataFolder: folder)
    options.certificate = ("/nowhere/cert.pem", "/nowhere/key.pem")
    let error = #expect(throws: RepositoryError.self) { _ = try ModelRepositoryServer(options) }
    #expect(
      error?.message == "The certificate '/nowhere/cert.pem' doesn't exist. Check the path.")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
#endif
