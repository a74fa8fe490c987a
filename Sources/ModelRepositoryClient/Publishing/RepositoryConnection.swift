// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends requests to a repository's API.
struct RepositoryConnection: Sendable {
  /// A server's response.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    /// Decodes the response's document.
    ///
    /// - Throws: ``PublishingError`` if the body isn't such a document.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      do {
        return try RepositoryJSON.decode(type, from: body)
      } catch {
        throw PublishingError(
          "invalid_answer", status: status, "The server's response can't be read: \(error)")
      }
    }
  }

  /// The HTTP client of the whole process.
  ///
  /// The library's shared client isn't used because it tries to connect for 90 seconds.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration.singletonConfiguration
    configuration.timeout.connect = .seconds(Int64(ConnectionFault.connectSeconds))
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(
      eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
      configuration: configuration)
  }()

  private let base: String
  private let token: String?
  /// The TLS configuration with other trusted authorities, or nil to trust only the system's.
  private let encryption: TLSConfiguration?
  /// The maximum size of a response in bytes, which is enough for documents.
  ///
  /// Blobs are read as streams.
  private static let maximumAnswer = 16 << 20

  /// - Throws: ``PublishingError`` if the address is invalid, or if another machine's address isn't
  ///   https, because the token could be read in transit; `TensorIOError` if the file of
  ///   authorities can't be used.
  init(server: String, token: String?, certificateAuthorities: String?) throws {
    do {
      base = try RepositoryAddress(server: server, allowsInsecureConnections: false)
        .url.absoluteString
    } catch let error as ModelRepositoryClientError {
      throw PublishingError("invalid_server", error.message)
    }
    self.token = token
    encryption = try TrustedAuthorities.configuration(adding: certificateAuthorities)
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - method: The request's method.
  ///   - path: The path after the server's address, which starts with `/v1`.
  ///   - headers: Additional headers.
  ///   - body: The request's body.
  ///   - statuses: The statuses that don't count as errors.
  /// - Returns: The response.
  /// - Throws: ``PublishingError`` for other statuses and if there is no response.
  func send(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: Data? = nil,
    accepting statuses: Set<Int> = [200, 201, 202, 204]
  ) async throws -> Answer {
    var request = request(method, path)
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let answer: Answer
    do {
      // Requests that change something may take longer, for example to copy a blob to another
      // machine.
      let longest: TimeAmount = method == .GET ? .seconds(30) : .minutes(2)
      let response = try await Self.client.execute(request, timeout: longest)
      let bytes = try await response.body.collect(upTo: Self.maximumAnswer)
      answer = Answer(
        status: Int(response.status.code), headers: response.headers,
        body: Data(bytes.readableBytesView))
    } catch {
      let reason = try await ConnectionFault.reason(for: error, at: base).get()
      throw PublishingError("no_answer", "'\(base)' \(reason).")
    }
    guard statuses.contains(answer.status) else {
      guard let problem = try? answer.decode(ProblemDetails.self) else {
        throw PublishingError(
          "http_\(answer.status)", status: answer.status,
          "'\(base)' responded to \(method) \(path) with the status \(answer.status).")
      }
      throw PublishingError(problem.code, status: answer.status, problem.text)
    }
    return answer
  }

  /// Returns the body of a blob's response, as a stream of parts.
  ///
  /// - Throws: ``PublishingError`` if the server doesn't send it.
  func body(of path: String) async throws -> HTTPClientResponse.Body {
    let response = try await Self.client.execute(request(.GET, path), timeout: .hours(6))
    guard response.status == .ok else {
      throw PublishingError(
        "http_\(response.status.code)", status: Int(response.status.code),
        "the server responded with \(response.status)")
    }
    return response.body
  }

  private func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: base + path)
    request.method = method
    request.tlsConfiguration = encryption
    if let token { request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)") }
    return request
  }

  /// Fetches a document.
  func get<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
    try await send(.GET, path).decode(type)
  }

  /// Sends a document and decodes the document in the response.
  func send<Value: Decodable>(
    _ method: HTTPMethod, _ path: String, _ document: some Encodable & Sendable,
    headers: [(String, String)] = [], as type: Value.Type
  ) async throws -> Value {
    try await send(
      method, path, headers: headers + [("Content-Type", "application/json")],
      body: RepositoryJSON.encode(document)
    ).decode(type)
  }
}
#endif
