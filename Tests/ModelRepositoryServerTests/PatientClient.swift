// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL
import TestSupport

/// Sends requests to a running server and waits for responses even on a busy machine.
struct PatientClient: Sendable {
  private let client: HTTPClient
  private let server: String

  /// - Parameter server: The server's address without a trailing slash.
  init(_ server: String) {
    var configuration = HTTPClient.Configuration()
    configuration.tlsConfiguration = .makeClientConfiguration()
    configuration.tlsConfiguration?.certificateVerification = .none
    configuration.httpVersion = .http1Only
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(longestWait.components.seconds)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    client = HTTPClient(
      eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    self.server = server
  }

  func execute(
    _ uri: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: ByteBuffer?
  ) async throws -> TestResponse {
    var request = HTTPClientRequest(url: server + uri)
    request.method = .init(method)
    request.headers = .init(headers)
    request.body = body.map { .bytes($0) }
    let response = try await client.execute(
      request, timeout: .seconds(longestWait.components.seconds))
    let head = HTTPResponseHead(
      version: response.version, status: response.status, headers: response.headers)
    return TestResponse(
      head: try HTTPResponse(head), body: try await response.body.collect(upTo: .max))
  }

  func shutDown() async throws { try await client.shutdown() }
}
#endif
