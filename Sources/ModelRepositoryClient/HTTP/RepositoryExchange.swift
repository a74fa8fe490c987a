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
import Synchronization
import TensorIO

/// Sends requests to the server and handles redirects, failures and retries.
struct RepositoryExchange: Sendable {
  let client: HTTPClient
  let server: RepositoryAddress
  let configuration: ModelRepositoryConfiguration
  private let encryption: TLSConfiguration?
  private let contact = Contact()

  /// Whether the server ever responded, which makes a retry worthwhile.
  private final class Contact: Sendable {
    let wasMade = Mutex(false)
  }

  /// Prepares requests.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidConfiguration` if the file of
  ///   authorities can't be used.
  init(
    client: HTTPClient, server: RepositoryAddress, configuration: ModelRepositoryConfiguration
  ) throws {
    self.client = client
    self.server = server
    self.configuration = configuration
    do {
      encryption = try TrustedAuthorities.configuration(
        adding: configuration.certificateAuthorities)
    } catch let error as TensorIOError {
      throw ModelRepositoryClientError(.invalidConfiguration, error.message, cause: error)
    }
  }

  private static let maximumRedirects = 5
  private static let maximumPause: Duration = .seconds(120)

  /// The HTTP client's settings, which turn off its redirects, decompression and retries.
  ///
  /// This type handles redirects and retries itself.
  static func clientConfiguration(
    _ configuration: ModelRepositoryConfiguration
  ) -> HTTPClient.Configuration {
    var result = HTTPClient.Configuration()
    result.httpVersion = .http1Only
    result.redirectConfiguration = .disallow
    result.decompression = .disabled
    result.connectionPool.retryConnectionEstablishment = false
    result.timeout = .init(
      connect: TimeAmount(configuration.connectTimeout),
      read: TimeAmount(configuration.stallTimeout))
    return result
  }

  // MARK: - Requests

  /// Sends a GET request once and follows redirects.
  ///
  /// - Parameters:
  ///   - path: The path of a resource of the server.
  ///   - fields: The request's header fields.
  /// - Returns: The response, whose status is below 400 or is 416.
  /// - Throws: ``TransientFailure`` if a retry may succeed, or ``ModelRepositoryClientError``.
  func get(_ path: String, _ fields: HTTPHeaders) async throws -> HTTPClientResponse {
    var address = server.appending(path)
    for _ in 0...Self.maximumRedirects {
      var request = HTTPClientRequest(url: address.url.absoluteString)
      request.headers = fields
      request.tlsConfiguration = encryption
      request.headers.add(name: "accept-encoding", value: "identity")
      request.headers.add(name: "user-agent", value: "TensorIO")
      if let token = configuration.token, address.origin == server.origin {
        request.headers.add(name: "authorization", value: "Bearer \(token)")
      }
      let response: HTTPClientResponse
      do {
        response = try await client.execute(request, deadline: .distantFuture)
      } catch {
        throw try await unreachable(error, address)
      }
      contact.wasMade.withLock { $0 = true }
      guard [301, 302, 303, 307, 308].contains(response.status.code),
        let location = response.headers.first(name: "location")
      else { return try await checked(response, address) }
      address = try address.redirected(
        to: location, allowsInsecureConnections: configuration.allowsInsecureConnections)
    }
    throw ModelRepositoryClientError(
      .serverError,
      "'\(server.appending(path).shown)' redirects more than \(Self.maximumRedirects) times.")
  }

  /// Reads the body of a response, up to a limit.
  ///
  /// - Throws: ``TransientFailure``, or ``ModelRepositoryClientError`` with `.tooLarge`.
  func body(
    of response: HTTPClientResponse, _ path: String, upTo limit: Int
  ) async throws -> ByteBuffer {
    func tooLarge() -> ModelRepositoryClientError {
      ModelRepositoryClientError(
        .tooLarge,
        "'\(server.appending(path).shown)' has more than \(limit) bytes, which is the limit.")
    }
    let declared = response.headers.first(name: "content-length").flatMap { Int($0) }
    guard declared ?? 0 <= limit else { throw tooLarge() }
    var result = ByteBuffer()
    do {
      for try await var part in response.body {
        guard result.readableBytes + part.readableBytes <= limit else { throw tooLarge() }
        result.writeBuffer(&part)
      }
    } catch let error as ModelRepositoryClientError {
      throw error
    } catch {
      throw failure(error, server.appending(path))
    }
    return result
  }

  /// Runs an operation, and retries it after transient failures.
  ///
  /// - Throws: The error of the last attempt, but never ``TransientFailure``.
  func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
    var failures = 0
    while true {
      do {
        return try await work()
      } catch let failure as TransientFailure {
        failures = failure.madeProgress ? 1 : failures + 1
        let pause = failure.retryAfter ?? pause(after: failures)
        guard failures <= configuration.retries, pause <= Self.maximumPause else {
          throw failure.error
        }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Returns a random pause, so that clients that lost the same server don't all return at once.
  private func pause(after failures: Int) -> Duration {
    let longest = min(configuration.retryDelay * (1 << min(failures - 1, 20)), .seconds(30))
    return longest * Double.random(in: 0.5...1)
  }

  // MARK: - Failures

  private func checked(
    _ response: HTTPClientResponse, _ address: RepositoryAddress
  ) async throws -> HTTPClientResponse {
    let status = Int(response.status.code)
    guard status >= 400, status != 416 else {
      let coding = response.headers.first(name: "content-encoding")?.lowercased() ?? "identity"
      guard coding == "identity" else {
        throw ModelRepositoryClientError(
          .serverError,
          "'\(address.shown)' was sent with the encoding '\(coding)', which wasn't requested.")
      }
      return response
    }
    var code = ModelRepositoryClientError.Code.serverError
    if [404, 410].contains(status) { code = .notFound }
    if [401, 403].contains(status) { code = .unauthorized }
    let title = await title(of: response)
    var error = ModelRepositoryClientError(
      code, "'\(address.shown)': the server responded with \(response.status)\(title).")
    error.status = status
    guard status == 429 || status == 408 || status >= 500 else { throw error }
    let seconds = response.headers.first(name: "retry-after").flatMap { Int($0) }
    throw TransientFailure(error: error, retryAfter: seconds.map { .seconds(max(0, $0)) })
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
  private func unreachable(
    _ error: any Error, _ address: RepositoryAddress
  ) async throws -> any Error {
    guard let failure = failure(error, address) as? TransientFailure else {
      return self.failure(error, address)
    }
    var found = failure.error
    if found.code != .timedOut {
      let reason = try await ConnectionFault.reason(for: error, at: address.shown).get()
      found.message = "'\(address.shown)' \(reason)."
    }
    let isFinal =
      ConnectionFault.isLasting(error)
      || configuration.failsFast && !contact.wasMade.withLock { $0 }
    return isFinal ? found : TransientFailure(error: found, madeProgress: failure.madeProgress)
  }

  /// Converts an error of the connection.
  func failure(
    _ error: any Error, _ address: RepositoryAddress, madeProgress: Bool = false
  ) -> any Error {
    var code = ModelRepositoryClientError.Code.connectionFailed
    let reason: String
    switch error {
    case is CancellationError, is ModelRepositoryClientError, is TransientFailure: return error
    case let error as HTTPClientError where error == .cancelled: return CancellationError()
    case let error as HTTPClientError where error == .readTimeout:
      code = .timedOut
      reason = "the server sent nothing for \(configuration.stallTimeout)"
    case let error as HTTPClientError
    where [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error):
      code = .timedOut
      reason = "the server didn't respond in \(configuration.connectTimeout)"
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      reason = "the server closed the connection"
    case is HTTPParserError: reason = "the server's response isn't HTTP, or it ended too early"
    default: reason = "\(error)"
    }
    return TransientFailure(
      error: ModelRepositoryClientError(
        code, "'\(address.shown)' cannot be fetched: \(reason).", cause: error),
      madeProgress: madeProgress)
  }
}
#endif
