// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import NetRunnerWeb

@Suite struct MonitoringTests {
  private static let token = "a token of enough bytes"

  private static func fixture() throws -> WebFixture {
    let fixture = try WebFixture()
    fixture.options.token = token
    return fixture
  }

  @Test func `monitors need no token, and metrics have the names of all servers`() async throws {
    try await Self.fixture().test { client in
      #expect(try await String(buffer: client.send(.get, "/healthz").body) == "ok\n")
      #expect(try await String(buffer: client.send(.get, "/readyz").body) == "ready\n")
      try await client.send(.get, "/v2/health/ready", expects: 401)
      let metrics = String(
        buffer: try await client.send(
          .get, "/metrics", headers: [.authorization: "Bearer " + Self.token]
        ).body)
      for line in [
        "http_requests_total{method=\"GET\",route=\"/readyz\",status=\"200\"} 1",
        "http_requests_total{method=\"GET\",route=\"/v2/health/ready\",status=\"401\"} 1",
        "http_request_duration_seconds_count{route=\"/healthz\"} 1", "http_requests_in_flight 1",
        "tensorio_runs_waiting 0", "# TYPE tensorio_models gauge",
      ] {
        #expect(metrics.contains(line + "\n"), "\(metrics)")
      }
    }
  }

  @Test func `the log has a line for each request and no secrets`() async throws {
    let log = LogLines()
    try await Self.fixture().test(logger: Logger(label: "test") { _ in log }) { client in
      try await client.send(
        .get, "/api/v1/server?secret=query", headers: [.authorization: "Bearer wrong words"],
        expects: 401)
      try await client.send(.get, "/healthz")
    }
    let requests = log.lines.filter { $0.hasPrefix("request ") }
    try #require(requests.count == 2, "\(requests)")
    for part in ["method=GET", "path=/api/v1/server ", "status=401", "bytes=", "milliseconds="] {
      #expect(requests[0].contains(part), "\(requests)")
    }
    #expect(requests[1].contains("path=/healthz ") && requests[1].contains("bytes=3 "))
    #expect(!requests.contains { $0.contains("query") || $0.contains("wrong") }, "\(requests)")
  }

  @Test func `the port for monitors serves the health paths and nothing else`() async throws {
    let fixture = try Self.fixture()
    fixture.options.libraryProblem = { "LiteRT is not installed." }
    let application = Application(router: try NetRunnerServer(fixture.options).healthRouter())
    try await application.test(.router) { client in
      for (path, status, words) in [
        ("/healthz", 200, "ok\n"), ("/v2/health/live", 200, ""),
        ("/readyz", 503, "LiteRT is not installed."),
        ("/v2/health/ready", 503, "{\"error\":\"LiteRT is not installed.\"}"),
        ("/api/v1/server", 404, "not_found"), ("/metrics", 404, "not_found"),
      ] {
        let text = String(buffer: try await client.send(.get, path, expects: status).body)
        #expect(words.isEmpty ? text.isEmpty : text.contains(words), "\(path): \(text)")
      }
    }
  }
}

/// Collects log lines.
private struct LogLines: LogHandler {
  private final class Storage: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let storage = Storage()
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  var lines: [String] { storage.lines.withLock { $0 } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).map { "\($0)=\($1) " }.sorted().joined()
    storage.lines.withLock { $0.append("\(event.message) \(fields)") }
  }
}
#endif
