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
import Synchronization
import WebClient

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
          .invalidAnswer, status: status, "The server's response can't be read: \(error)")
      }
    }
  }

  /// Whether the server ever responded, which makes a retry worthwhile.
  private final class Contact: Sendable {
    let wasMade = Mutex(false)
  }

  private let sender: RepositorySender
  private let contact = Contact()
  var wasReached: Bool { contact.wasMade.withLock { $0 } }
  private var server: String { sender.server.url.absoluteString }
  /// The maximum size of a response in bytes, which is enough for documents.
  ///
  /// Blobs are read as streams.
  private static let maximumAnswer = 16 << 20

  /// - Throws: ``PublishingError`` if the address is invalid, or if another machine's address isn't
  ///   https, because the token could be read in transit; `TensorIOError` if the file of
  ///   authorities can't be used.
  init(
    server: String, token: String?, certificateAuthorities: String?,
    stall: Duration = .seconds(90)
  ) throws {
    let address: RepositoryAddress
    do {
      address = try RepositoryAddress(server: server, allowsInsecureConnections: false)
    } catch let error as ModelRepositoryClientError {
      throw PublishingError(.invalidServer, error.message)
    }
    let policy = WebClient.Policy(
      connect: .seconds(ConnectionFault.connectSeconds), stall: stall,
      encryption: try TrustedAuthorities.configuration(adding: certificateAuthorities))
    sender = RepositorySender(
      client: WebClient(policy), server: address, token: token, redirects: 20)
  }

  /// Returns the time that an upload may take whose bytes nobody wants after a deadline.
  static func longestUpload(until deadline: Date, at now: Date = .now) -> Duration {
    .seconds(min(max(deadline.timeIntervalSince(now), 120), 6 * 3600))
  }

  /// Sends a request to a path that starts with `/v1`.
  ///
  /// `longest` is the time limit for a body that takes long to send. A server that takes none of it
  /// for a while still ends the request.
  ///
  /// - Throws: ``PublishingError`` for other statuses and if there is no response.
  func send(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: Data? = nil,
    longest: Duration? = nil, accepting statuses: Set<Int> = [200, 201, 202, 204]
  ) async throws -> Answer {
    let fields = HTTPHeaders(headers)
    // Requests that change something may take longer, for example to copy a blob to another
    // machine.
    let usual: Duration = method == .GET ? .seconds(30) : .seconds(120)
    let deadline = NIODeadline.now() + TimeAmount(longest ?? usual)
    let bytes = body.map { ByteBuffer(bytes: $0) }
    let answer = try await explained {
      let response: HTTPClientResponse
      if let bytes, longest != nil {
        response = try await sender.sendLong(
          method, path, fields, body: bytes, deadline: deadline)
      } else {
        response = try await sender.send(method, path, fields, body: bytes, deadline: deadline)
          .response
      }
      contact.wasMade.withLock { $0 = true }
      let bytes = try await response.body.collect(upTo: Self.maximumAnswer)
      return Answer(
        status: Int(response.status.code), headers: response.headers,
        body: Data(bytes.readableBytesView))
    }
    guard statuses.contains(answer.status) else {
      guard let problem = try? answer.decode(ProblemDetails.self) else {
        throw PublishingError(
          .init(rawValue: "http_\(answer.status)"), status: answer.status,
          "'\(server)' responded to \(method) \(path) with the status \(answer.status).")
      }
      throw PublishingError(.init(rawValue: problem.code), status: answer.status, problem.text)
    }
    return answer
  }

  /// Returns the body of a blob's response, as a stream of parts.
  ///
  /// - Throws: ``PublishingError`` if the server doesn't send it.
  func body(of path: String) async throws -> HTTPClientResponse.Body {
    let response = try await explained {
      try await sender.send(.GET, path, deadline: .now() + .hours(6)).response
    }
    guard response.status == .ok else {
      throw PublishingError(
        .init(rawValue: "http_\(response.status.code)"), status: Int(response.status.code),
        "the server responded with \(response.status)")
    }
    return response.body
  }

  /// Runs some work, and explains why there was no response.
  private func explained<Value>(_ work: () async throws -> Value) async throws -> Value {
    var address = server
    let fault: any Error
    do {
      return try await work()
    } catch let failure as RepositorySender.Failure {
      if failure.address.origin != sender.server.origin { address = failure.address.shown }
      fault = failure.error
    } catch let error as ModelRepositoryClientError {
      throw PublishingError(.noAnswer, error.message)
    } catch {
      fault = error
    }
    let reason = await ConnectionFault(fault).advice(at: address)
    throw PublishingError(.noAnswer, "'\(address)' \(reason).")
  }

  /// Fetches a document.
  func get<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
    try await send(.GET, path).decode(type)
  }

  /// Sends a document and decodes the document in the response.
  func send<Value: Decodable>(
    _ method: HTTPMethod, _ path: String, _ document: some Encodable & Sendable,
    as type: Value.Type
  ) async throws -> Value {
    try await send(
      method, path, headers: [("Content-Type", "application/json")],
      body: RepositoryJSON.encode(document)
    ).decode(type)
  }
}
#endif
