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
import WebClient

/// A client that sends signed requests to an S3-compatible store, and retries them if that may
/// help.
final class S3Client: Sendable {
  /// The limits of connections and requests, and the number of attempts.
  struct Policy: Sendable {
    var web: WebClient.Policy
    var retries = RetryPolicy(
      attempts: 5, pause: .milliseconds(250), longestPause: .seconds(20),
      longestRetryAfter: .seconds(20), cutsRetryAfter: true)
    /// The time limit of a small request, including its response.
    var check = TimeAmount.seconds(5)

    init() {
      web = WebClient.Policy(connect: .seconds(10), stall: .seconds(60))
      web.limitsSending = true
      // This is as many as the server's own connections, so that no download waits for another
      // one.
      web.connections = 2048
    }
  }

  let location: S3Location
  let policy: Policy
  /// The credentials, or the error for missing ones.
  ///
  /// The error is thrown by the first request, because not every use of a data folder makes one.
  private let credentials: Result<S3Credentials, any Error>
  private let client: WebClient
  private let now: @Sendable () -> Date

  init(
    _ location: S3Location, _ credentials: Result<S3Credentials, any Error>,
    policy: Policy = Policy(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.location = location
    self.credentials = credentials
    self.policy = policy
    self.now = now
    client = WebClient(policy.web)
  }

  // MARK: - Requests

  /// Sends a request with retries, and discards the body of the response.
  ///
  /// Error statuses among `refusals` are returned instead of thrown.
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

  /// Sends a request with retries, and reads a response that is XML with a root element of a name.
  ///
  /// The response may describe a failure even if its status doesn't, because the store begins some
  /// responses before it knows the result. The result is nil for the error codes that are allowed.
  func element(
    _ request: S3Request, _ name: String, allowing codes: Set<String> = []
  ) async throws -> S3Element? {
    try await retrying {
      do {
        let response = try await begin(request)
        let bytes = try await collect(response, request)
        guard let root = S3Element(bytes.readableBytesView) else {
          throw failure(
            request,
            "the store's response isn't XML, or it ended too early", isTransient: true)
        }
        if root.name == "Error" { throw refusal(request, Int(response.status.code), nil, root) }
        guard root.name == name else {
          throw failure(
            request, "the store responded with '\(root.name.prefix(40))' instead of '\(name)'")
        }
        return root
      } catch let failure as FailedAttempt where failure.code.map(codes.contains) == true {
        return nil
      }
    }
  }

  /// Sends a request once, and returns the response, whose body hasn't been read yet.
  func begin(
    _ request: S3Request, allowing refusals: Set<UInt> = [], within time: TimeAmount? = nil
  ) async throws -> HTTPClientResponse {
    let signature = S3Signature(credentials: try credentials.get(), region: location.region)
    let key = request.key.map { "/" + S3Signature.escaped($0, keepingSlashes: true) }
    let path = "/\(location.bucket)\(key ?? "")"
    let query = S3Signature.query(request.query)
    var sent = HTTPClientRequest(url: location.endpoint + path + (query.isEmpty ? "" : "?" + query))
    sent.method = request.method
    sent.headers = HTTPHeaders(
      signature.fields(request, host: location.host, path: path, at: now()))
    switch request.body {
    case .none: break
    case .bytes(let bytes): sent.body = .bytes(bytes)
    case .file(let file, let range, _):
      sent.body = .stream(
        RangedPieces(content: file, range: range), length: .known(Int64(range.count)))
    }
    let response: HTTPClientResponse
    do {
      response = try await client.send(sent, deadline: time.map { .now() + $0 } ?? .distantFuture)
    } catch {
      throw failure(request, error)
    }
    let status = response.status.code
    guard !(200..<300).contains(status), !refusals.contains(status) else { return response }
    // If the body can't be read, the status is enough.
    let bytes = try? await response.body.collect(upTo: 1 << 16)
    throw refusal(request, Int(status), response, bytes.flatMap { S3Element($0.readableBytesView) })
  }

  /// Reads the body of a small response.
  func collect(_ response: HTTPClientResponse, _ request: S3Request) async throws -> ByteBuffer {
    do {
      return try await response.body.collect(upTo: Self.maximumAnswer)
    } catch {
      throw failure(request, error)
    }
  }

  /// A page of a list has a thousand names of up to a kilobyte.
  private static let maximumAnswer = 8 << 20

  // MARK: - Retries

  /// Runs some work, and retries it if it fails in a way that may be temporary.
  ///
  /// - Throws: ``RepositoryError``, or any error of the work except `FailedAttempt`.
  func retrying<Value>(
    attempts: Int? = nil, _ work: () async throws -> Value
  ) async throws -> Value {
    var retries = policy.retries
    if let attempts { retries.attempts = attempts }
    return try await retries.run(finalError: Self.finalError, work)
  }

  /// Waits before the next attempt.
  func pause(after failure: FailedAttempt, number: Int) async throws {
    guard let pause = policy.retries.pause(after: failure, number: number) else {
      throw Self.finalError(failure, number)
    }
    try await Task.sleep(for: pause)
  }

  private static func finalError(_ failure: FailedAttempt, _ number: Int) -> any Error {
    guard failure.isTransient, number > 1, let error = failure.error as? RepositoryError else {
      return failure.error
    }
    return RepositoryError(error.code, error.message + " All \(number) attempts failed.")
  }

  /// Removes secrets from a text.
  func hiding(_ text: String) -> String {
    guard case .success(let credentials) = credentials else { return text }
    return credentials.hiding(in: text)
  }
}

extension S3Client {
  /// Creates a failure with a message for people.
  func failure(
    _ request: S3Request, _ reason: String, isTransient: Bool = false, suggestion: String = ""
  ) -> FailedAttempt {
    FailedAttempt(
      RepositoryError(
        .storeUnavailable,
        "'\(name(of: request.key))' cannot be \(request.purpose) at \(location.endpoint): "
          + "\(reason).\(suggestion)"
      ),
      isTransient: isTransient)
  }

  /// The URL of an object as people read it; a nil key means the bucket.
  func name(of key: String?) -> String {
    "s3://\(location.bucket)" + (key.map { "/" + $0 } ?? "")
  }

  /// Converts an error of the connection.
  func failure(_ request: S3Request, _ error: any Error) -> any Error {
    if error is RepositoryError || error is FailedAttempt { return error }
    let fault = ConnectionFault(error)
    guard fault.kind != .cancelled else { return CancellationError() }
    return failure(
      request, fault.clause("the store", location.host, policy.web), isTransient: !fault.isLasting)
  }

  /// Creates the failure for an error response.
  ///
  /// The response is nil if its status isn't an error. Of the body's root element, only `Error` is
  /// used.
  func refusal(
    _ request: S3Request, _ status: Int, _ response: HTTPClientResponse?, _ answer: S3Element?
  ) -> FailedAttempt {
    let answer = answer?.name == "Error" ? answer : nil
    let code = answer?["Code"].map { shown($0.text, 60) }
    let message = answer?["Message"].map { shown($0.text, 300) }
    let region = response?.headers.first(name: "x-amz-bucket-region") ?? answer?["Region"]?.text
    var said = "the store responded with \(status)"
    if let code { said += " \(code)" }
    if let message { said += ", '\(message)'" }
    var failure = failure(
      request, said, isTransient: Self.isTransient(status, code),
      suggestion: suggestion(status, code, region: region.map { shown($0, 64) }))
    failure.code = code
    failure.retryAfter = response?.retryAfter
    return failure
  }

  private static func isTransient(_ status: Int, _ code: String?) -> Bool {
    let codes: Set = [
      "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted",
      "Throttling", "ThrottlingException", "RequestLimitExceeded", "BandwidthLimitExceeded",
    ]
    return [408, 429, 500, 502, 503, 504].contains(status) || code.map(codes.contains) == true
  }

  /// Returns advice on how to fix the failure, which begins with a space.
  private func suggestion(_ status: Int, _ code: String?, region: String?) -> String {
    if let region, region != location.region,
      (300..<400).contains(status) || code == "AuthorizationHeaderMalformed"
    {
      return
        " The bucket is in the region '\(region)', not in '\(location.region)'. Use that region."
    }
    switch code {
    case "NoSuchBucket": return " Create the bucket, or use another one."
    case "RequestTimeTooSkewed": return " Correct this machine's clock."
    default: break
    }
    switch status {
    case 300..<400:
      return " Redirects aren't followed. Use the endpoint and the region that the bucket has."
    case 401, 403:
      return
        " Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region, and "
        + "the key's permissions for the bucket."
    default: return ""
    }
  }

  /// Prepares the store's text for an error or a line of the log.
  private func shown(_ text: String, _ count: Int) -> String {
    let line = text.map { $0.isNewline || $0.asciiValue.map { $0 < 32 } == true ? " " : $0 }
    return hiding(String(String(line).prefix(count)))
  }
}
#endif
