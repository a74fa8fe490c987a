// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends signed requests to a store that speaks S3, and again where that may be better.
final class S3Client: Sendable {
  /// How long is waited, and how often.
  struct RetryPolicy: Sendable {
    var connect = TimeAmount.seconds(10)
    /// For how long a request, or an answer under way, may stand still.
    var stall = TimeAmount.seconds(60)
    /// How often a request is sent that may be better the next time.
    var attempts = 5
    /// Before the second attempt; it doubles with each.
    var pause = Duration.milliseconds(250)
    /// How long all of a small request may take.
    var check = TimeAmount.seconds(5)
  }

  let place: S3Place
  let retryPolicy: RetryPolicy
  /// What is missing shows at the first request: not all that is done with a data folder makes one.
  private let credentials: Result<S3Credentials, any Error>
  private let client: HTTPClient
  private let now: @Sendable () -> Date

  init(
    _ place: S3Place, _ credentials: Result<S3Credentials, any Error>,
    retryPolicy: RetryPolicy = RetryPolicy(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.place = place
    self.credentials = credentials
    self.retryPolicy = retryPolicy
    self.now = now
    var configuration = HTTPClient.Configuration()
    configuration.httpVersion = .http1Only
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.connectionPool.retryConnectionEstablishment = false
    // As many as the server's own connections: none waits for another's download.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2048
    configuration.timeout = .init(
      connect: retryPolicy.connect, read: retryPolicy.stall, write: retryPolicy.stall)
    client = HTTPClient(
      eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
  }

  deinit { client.shutdown { [client] _ in _ = client } }

  // MARK: - Requests

  /// Sends a request until it is answered, and throws away what is in the answer.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - refusals: Statuses that are no error.
  /// - Returns: The answer's head.
  /// - Throws: ``RepositoryError``.
  @discardableResult
  func send(
    _ request: S3Request, allowing refusals: Set<UInt> = []
  ) async throws -> (status: UInt, fields: HTTPHeaders) {
    try await retrying {
      let response = try await begin(request, allowing: refusals)
      _ = try await collect(response, request)
      return (response.status.code, response.headers)
    }
  }

  /// Sends a request until it is answered, and reads an answer that is small.
  ///
  /// - Returns: The status and the bytes.
  /// - Throws: ``RepositoryError``.
  func read(
    _ request: S3Request, allowing refusals: Set<UInt> = []
  ) async throws -> (status: UInt, bytes: ByteBuffer) {
    try await retrying {
      let response = try await begin(request, allowing: refusals)
      return (response.status.code, try await collect(response, request))
    }
  }

  /// Sends a request until it is answered with XML, which may tell of a failure although its status
  /// does not: some answers are begun before the store knows.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - name: What the answer's root is called.
  ///   - codes: Failures that are no error.
  /// - Returns: The root; nil for one of these failures.
  /// - Throws: ``RepositoryError``.
  func element(
    _ request: S3Request, _ name: String, allowing codes: Set<String> = []
  ) async throws -> S3Element? {
    try await retrying {
      do {
        let response = try await begin(request)
        let bytes = try await collect(response, request)
        guard let root = S3Element(bytes.readableBytesView) else {
          throw failure(request, "the store's answer is no XML, or broke off", isTransient: true)
        }
        if root.name == "Error" { throw refusal(request, Int(response.status.code), [:], root) }
        guard root.name == name else {
          throw failure(
            request, "the store answered with '\(root.name.prefix(40))' instead of '\(name)'")
        }
        return root
      } catch let failure as S3Failure where failure.code.map(codes.contains) == true {
        return nil
      }
    }
  }

  /// Sends a request once.
  ///
  /// - Returns: The answer, whose body is still to be read.
  /// - Throws: ``S3Failure``; ``RepositoryError``.
  func begin(
    _ request: S3Request, allowing refusals: Set<UInt> = [], within time: TimeAmount? = nil
  ) async throws -> HTTPClientResponse {
    let signature = S3Signature(credentials: try credentials.get(), region: place.region)
    let key = request.key.map { "/" + S3Signature.escaped($0, keepingSlashes: true) }
    let path = "/\(place.bucket)\(key ?? "")"
    let query = S3Signature.query(request.query)
    var sent = HTTPClientRequest(url: place.endpoint + path + (query.isEmpty ? "" : "?" + query))
    sent.method = request.method
    sent.headers = HTTPHeaders(
      signature.fields(request, host: place.host, path: path, at: now()))
    sent.headers.add(name: "user-agent", value: "TensorIO")
    sent.headers.add(name: "accept-encoding", value: "identity")
    switch request.body {
    case .none: break
    case .bytes(let bytes): sent.body = .bytes(bytes)
    case .file(let file, let range, _):
      sent.body = .stream(
        RangedPieces(content: file, range: range), length: .known(Int64(range.count)))
    }
    let response: HTTPClientResponse
    do {
      response = try await client.execute(
        sent, deadline: time.map { .now() + $0 } ?? .distantFuture)
    } catch {
      throw failure(request, error)
    }
    let status = response.status.code
    guard !(200..<300).contains(status), !refusals.contains(status) else { return response }
    // The status says enough when the rest cannot be read.
    let bytes = try? await response.body.collect(upTo: 1 << 16)
    throw refusal(
      request, Int(status), response.headers, bytes.flatMap { S3Element($0.readableBytesView) })
  }

  /// Reads an answer that is small.
  func collect(_ response: HTTPClientResponse, _ request: S3Request) async throws -> ByteBuffer {
    do {
      return try await response.body.collect(upTo: Self.maximumAnswer)
    } catch {
      throw failure(request, error)
    }
  }

  /// A page of a list has a thousand names of up to a kilobyte.
  private static let maximumAnswer = 8 << 20

  // MARK: - Again

  /// Does something again that failed and may be better later.
  ///
  /// - Throws: ``RepositoryError``; what the work throws but ``S3Failure``.
  func retrying<Value>(
    attempts: Int? = nil, _ work: () async throws -> Value
  ) async throws -> Value {
    let attempts = attempts ?? retryPolicy.attempts
    var failures = 0
    while true {
      do {
        return try await work()
      } catch let failure as S3Failure {
        failures += 1
        try await pause(after: failure, number: failures, of: attempts)
      }
    }
  }

  /// Waits before the next attempt.
  ///
  /// - Throws: The failure's error where there is to be none.
  func pause(after failure: S3Failure, number: Int, of attempts: Int) async throws {
    guard failure.isTransient, number < attempts else {
      throw failure.isTransient && number > 1
        ? RepositoryError(
          failure.error.code, failure.error.message + " It was tried \(number) times.")
        : failure.error
    }
    // All requests that met the same failure must not come back in the same moment.
    let longest = min(retryPolicy.pause * (1 << min(number - 1, 20)), .seconds(20))
    let pause = longest * Double.random(in: 0.5...1)
    try await Task.sleep(for: max(pause, min(failure.retryAfter ?? .zero, .seconds(20))))
  }

  /// Takes out of a text what nobody may read.
  func hiding(_ text: String) -> String {
    guard case .success(let credentials) = credentials else { return text }
    return credentials.hiding(in: text)
  }
}
#endif
