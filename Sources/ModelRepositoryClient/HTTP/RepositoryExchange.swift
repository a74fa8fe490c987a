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
import TensorIO
import WebClient

/// Sends requests to the server and handles redirects, failures and retries.
struct RepositoryExchange: Sendable {
  let configuration: ModelRepositoryConfiguration
  private let sender: RepositorySender
  private let contact = Contact()

  /// Whether the server ever responded, which makes a retry worthwhile.
  private final class Contact: Sendable {
    let wasMade = Mutex(false)
  }

  var server: RepositoryAddress { sender.server }

  /// Prepares requests.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidConfiguration` if the file of
  ///   authorities can't be used.
  init(server: RepositoryAddress, configuration: ModelRepositoryConfiguration) throws {
    self.configuration = configuration
    do {
      let client = WebClient(
        WebClient.Policy(
          connect: configuration.connectTimeout, stall: configuration.stallTimeout,
          encryption: try TrustedAuthorities.configuration(
            adding: configuration.certificateAuthorities)))
      sender = RepositorySender(
        client: client, server: server, token: configuration.token,
        allowsInsecureConnections: configuration.allowsInsecureConnections)
    } catch let error as TensorIOError {
      throw ModelRepositoryClientError(.invalidConfiguration, error.message, cause: error)
    }
  }

  // MARK: - Requests

  /// Sends a GET request once and follows redirects.
  ///
  /// - Returns: The response, whose status is below 400 or is 416.
  /// - Throws: `FailedAttempt` if a retry may succeed, or ``ModelRepositoryClientError``.
  func get(_ path: String, _ fields: HTTPHeaders) async throws -> HTTPClientResponse {
    do {
      let (response, address) = try await sender.send(.GET, path, fields)
      contact.wasMade.withLock { $0 = true }
      return try await checked(response, address)
    } catch let failure as RepositorySender.Failure {
      throw await unreachable(failure.error, failure.address)
    }
  }

  /// Reads the body of a response, up to a limit.
  ///
  /// - Throws: `FailedAttempt`, or ``ModelRepositoryClientError`` with `.tooLarge`.
  func body(
    of response: HTTPClientResponse, _ path: String, upTo limit: Int
  ) async throws -> ByteBuffer {
    do {
      return try await response.body.collect(upTo: limit)
    } catch is NIOTooManyBytesError {
      throw ModelRepositoryClientError(
        .tooLarge,
        "'\(server.appending(path).shown)' has more than \(limit) bytes, which is the limit.")
    } catch {
      throw failure(error, server.appending(path))
    }
  }

  /// Decodes the JSON document in a response, up to a limit.
  ///
  /// - Throws: `FailedAttempt`, or ``ModelRepositoryClientError`` with `.tooLarge` or with the
  ///   given code and fault.
  func document<Value: Decodable>(
    _ type: Value.Type, in response: HTTPClientResponse, _ path: String, upTo limit: Int,
    _ code: ModelRepositoryClientError.Code, _ fault: String
  ) async throws -> Value {
    let bytes = try await body(of: response, path, upTo: limit)
    do {
      return try RepositoryJSON.decode(type, from: Data(bytes.readableBytesView))
    } catch {
      throw ModelRepositoryClientError(
        code, "'\(server.appending(path).shown)' \(fault): \(error)", cause: error)
    }
  }

  /// Runs an operation, and retries it after transient failures.
  ///
  /// - Throws: The error of the last attempt, but never `FailedAttempt`.
  func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
    try await RetryPolicy(
      attempts: min(configuration.retries, .max - 1) + 1, pause: configuration.retryDelay,
      longestPause: .seconds(30)
    ).run(work)
  }

  // MARK: - Failures

  private func checked(
    _ response: HTTPClientResponse, _ address: RepositoryAddress
  ) async throws -> HTTPClientResponse {
    let status = Int(response.status.code)
    guard status >= 400, status != 416 else {
      if let encoding = response.unrequestedEncoding {
        throw ModelRepositoryClientError(
          .serverError,
          "'\(address.shown)' was sent with the encoding '\(encoding)', which wasn't requested.")
      }
      return response
    }
    var code = ModelRepositoryClientError.Code.serverError
    if [404, 410].contains(status) { code = .notFound }
    if [401, 403].contains(status) { code = .unauthorized }
    let title = await title(of: response)
    let error = ModelRepositoryClientError(
      code, "'\(address.shown)': the server responded with \(response.status)\(title).",
      status: status)
    guard status == 429 || status == 408 || status >= 500 else { throw error }
    var failure = FailedAttempt(error)
    failure.retryAfter = response.retryAfter
    throw failure
  }

  /// Returns the server's explanation of a refusal.
  private func title(of response: HTTPClientResponse) async -> String {
    let type = response.headers.first(name: "content-type") ?? ""
    // If this fails, the status alone is enough.
    guard type.hasPrefix(ProblemDetails.contentType),
      let bytes = try? await response.body.collect(upTo: 1 << 16),
      let problem = try? RepositoryJSON.decode(
        ProblemDetails.self, from: .init(bytes.readableBytesView))
    else { return "" }
    return ", \(problem.codeAndText)"
  }

  /// Converts an error that occurred before any response.
  private func unreachable(_ error: any Error, _ address: RepositoryAddress) async -> any Error {
    var failure = failure(error, address)
    let fault = ConnectionFault(error)
    if var found = (failure as? FailedAttempt)?.error as? ModelRepositoryClientError {
      if found.code != .timedOut {
        found.message = "'\(address.shown)' \(await fault.advice(at: address.shown))."
      }
      let isFinal =
        fault.isLasting || configuration.failsFast && !contact.wasMade.withLock { $0 }
      failure = isFinal ? found : FailedAttempt(found)
    }
    return failure
  }

  /// Converts an error of the connection.
  func failure(
    _ error: any Error, _ address: RepositoryAddress, madeProgress: Bool = false
  ) -> any Error {
    if error is ModelRepositoryClientError || error is FailedAttempt { return error }
    let fault = ConnectionFault(error)
    guard fault.kind != .cancelled else { return CancellationError() }
    let isLate = [.noConnection, .noHandshake, .stalled].contains(fault.kind)
    let reason = fault.clause("the server", address.host, sender.client.policy)
    return FailedAttempt(
      ModelRepositoryClientError(
        isLate ? .timedOut : .connectionFailed, "'\(address.shown)' cannot be fetched: \(reason).",
        cause: error),
      madeProgress: madeProgress)
  }
}

extension ProblemDetails {
  /// The server's message on one line, with control characters replaced by spaces.
  var text: String { Self.line(title, upTo: 1000) }

  /// The code and the server's message.
  var codeAndText: String { "\(Self.line(code, upTo: 60)): \(Self.line(title, upTo: 300))" }

  private static func line(_ text: String, upTo count: Int) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(count).map {
          $0.properties.generalCategory == .control ? " " : $0
        }))
  }
}
#endif
