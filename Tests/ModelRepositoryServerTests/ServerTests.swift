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
import TestSupport
import Testing

@testable import ModelRepositoryServer

@Suite(.timeLimit(.minutes(10))) struct ServerTests {
  private static let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test func `the server reports its health, readiness and metrics`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let reader = client.with(nil)
      #expect(try await reader.send(.get, "/healthz").text == "ok\n")
      #expect(try await reader.send(.get, "/readyz").text == "ready\n")
      let blob = try await client.upload([1, 2, 3])
      _ = try await reader.send(.get, "/v1/blobs/\(blob.digest)")
      let text = try await reader.send(.get, "/metrics").text
      for line in [
        "tensorio_blobs 1", "tensorio_blob_bytes 3",
        "tensorio_sent_blob_bytes_total 3",
        "http_requests_total{method=\"GET\",route=\"/v1/blobs/{digest}\",status=\"200\"} 1",
      ] {
        #expect(text.contains(line + "\n"), "\(text)")
      }
      try await reader.send(.get, "/nothing", expects: 404, code: "not_found")
      let refusal = try await client.send(
        .post, "/v1/blobs/\(blob.digest)", expects: 405, code: "method_not_allowed")
      #expect(refusal.headers[.allow] == "GET, HEAD")
    }
    #expect(try !FileSystem.names(in: fixture.folder).contains { $0.hasPrefix(".probe") })
    let full = try await TestRepository { $0.minimumFreeBytes = .max }
    try await full.serve { client in
      try await client.send(.get, "/readyz", expects: 503, code: "not_ready")
    }
  }

  @Test func `the log has a line for each request and no secrets`() async throws {
    let (logger, lines) = LineHandler.makeLogger()
    let fixture = try await TestRepository()
    let (secret, made) = try await fixture.serve(logger: logger) { client in
      let blob = try await client.upload(sampleBytes(300_000))
      try await client.send(.get, "/v1/blobs/\(blob.digest)?x=\(client.token ?? "")")
      let made = try await client.send(
        .post, "/v1/tokens", json: TokenRequest(name: "x", scopes: [.read]), expects: 201
      ).decoded(NewToken.self)
      try await client.with("wrong.secret").send(.get, "/v1/models", expects: 401)
      return (client.token ?? "", made.secret)
    }
    let log = lines.withLock { $0 }
    let blob = try #require(log.first { $0.contains("/v1/blobs/") })
    for part in ["method=GET", "status=200", "bytes=300000", "milliseconds=", "token="] {
      #expect(blob.contains(part), "\(blob)")
    }
    #expect(log.filter { $0.hasPrefix("request") }.count == 6)
    for line in log {
      for word in [secret, String(secret.dropFirst(17)), made, "wrong.secret", "Bearer"] {
        #expect(!line.contains(word))
      }
    }
  }

  @Test func `the error for a port in use names the port`() async throws {
    let (first, second) = (try await TestRepository(), try await TestRepository())
    try await first.serve(.live) { client in
      var options = second.options
      options.port = try #require(client.client.port)
      let server = try ModelRepositoryServer(options)
      let error = await #expect(throws: RepositoryError.self) { try await server.run { _ in } }
      #expect(error?.code == .invalidOption)
      #expect(error?.message.contains("\(options.port)") == true)
    }
  }

  @Test(arguments: ["192.0.2.1", "nowhere.invalid"])
  func `an address of another machine is an error that names it`(host: String) async throws {
    var options = try await TestRepository().options
    options.host = host
    let server = try ModelRepositoryServer(options)
    let error = await #expect(throws: RepositoryError.self) { try await server.run { _ in } }
    #expect(
      error?.message.hasSuffix(
        "'\(host)' isn't an address of this machine or a name of one. Choose another --host.")
        == true, "\(error as Any)")
  }

  @Test func `the server reports its address and stops when it is cancelled`() async throws {
    let fixture = try await TestRepository()
    let server = try await fixture.server()
    let address = AsyncStream.makeStream(of: String.self)
    let running = Task { try await server.run { address.continuation.yield($0) } }
    let text = await address.stream.first { _ in true }
    #expect(text?.hasPrefix("http://127.0.0.1:") == true && text?.hasSuffix("/") == true)
    running.cancel()
    _ = await running.result
  }

  @Test(.enabled(if: openssl != nil, "OpenSSL isn't installed."))
  func `the server speaks TLS`() async throws {
    let fixture = try await TestRepository {
      $0.certificate = ($0.dataFolder + "/certificate.pem", $0.dataFolder + "/key.pem")
    }
    var options = fixture.options
    let process = try ChildProcess(
      try #require(Self.openssl),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", fixture.folder + "/key.pem", "-out", fixture.folder + "/certificate.pem",
        "-days", "2", "-subj", "/CN=localhost",
      ])
    let result = await process.finish()
    try #require(result.status == 0, "\(result.error)")
    try await fixture.serve(.ahc(.https)) { client in
      let bytes = sampleBytes(3_000_000)
      let blob = try await client.upload(bytes)
      #expect(try await client.send(.get, "/v1/blobs/\(blob.digest)").bytes == bytes)
    }
    let certificate = fixture.folder + "/certificate.pem"
    options.certificate = (certificate, certificate)
    let error = #expect(throws: RepositoryError.self) { _ = try ModelRepositoryServer(options) }
    #expect(error?.message.contains("contains no PEM private key") == true, "\(error as Any)")
  }
}

/// Collects log lines.
struct LineHandler: LogHandler {
  let lines: Shared<[String]>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  static func makeLogger() -> (Logger, lines: Shared<[String]>) {
    let lines = Shared<[String]>([])
    return (Logger(label: "test") { _ in LineHandler(lines: lines) }, lines)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted()
    let line = "\(event.message) " + fields.joined(separator: " ")
    lines.withLock { $0.append(line) }
  }
}
#endif
