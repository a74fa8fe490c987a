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

/// Asks a repository's API.
struct RepositoryConnection: Sendable {
  /// What a server answered.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    /// The answer's document.
    ///
    /// - Throws: ``PublishingError`` where it is none.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      do {
        return try RepositoryJSON.decode(type, from: body)
      } catch {
        throw PublishingError(
          "invalid_answer", status: status, "The server's answer cannot be read: \(error)")
      }
    }
  }

  /// The client of the whole process.
  ///
  /// The library's own shared client tries for 90 seconds to connect.
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
  /// Whom to trust besides the system's authorities, or instead; nil trusts those.
  private let encryption: TLSConfiguration?
  /// Documents are short; blobs do not come this way.
  private static let maximumAnswer = 16 << 20

  /// - Throws: ``PublishingError`` for what is no address, and for another machine's without https: a
  ///   token would be read on its way; `TensorIOError` for a file of authorities that cannot be used.
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
  ///   - method: Its method.
  ///   - path: What stands behind the server's address, from `/v1` on.
  ///   - headers: Further headers.
  ///   - body: Its body.
  ///   - statuses: The statuses that are no errors.
  /// - Returns: The answer.
  /// - Throws: ``PublishingError`` for other statuses and where there is no answer.
  func send(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: Data? = nil,
    accepting statuses: Set<Int> = [200, 201, 202, 204]
  ) async throws -> Answer {
    var request = request(method, path)
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let answer: Answer
    do {
      // What changes something may take longer, as bringing a blob to another machine.
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
          "'\(base)' answered \(answer.status) to \(method) \(path).")
      }
      throw PublishingError(problem.code, status: answer.status, problem.text)
    }
    return answer
  }

  /// The parts of a blob, as they come.
  ///
  /// - Throws: ``PublishingError`` where the server does not give it.
  func body(of path: String) async throws -> HTTPClientResponse.Body {
    let response = try await Self.client.execute(request(.GET, path), timeout: .hours(6))
    guard response.status == .ok else {
      throw PublishingError(
        "http_\(response.status.code)", status: Int(response.status.code),
        "the server answered \(response.status)")
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

  /// Asks for a document.
  func get<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
    try await send(.GET, path).decode(type)
  }

  /// Sends a document, and gets one.
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
