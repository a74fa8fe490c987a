// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import NIOPosix

/// A request that failed, and whether it may succeed later.
struct S3Failure: Error {
  /// The error that is thrown if there are no more attempts.
  var error: RepositoryError
  var isTransient: Bool
  /// The store's code for the failure.
  var code: String?
  /// The time after which the store accepts another attempt.
  var retryAfter: Duration?
}

extension S3Client {
  /// Creates a failure with a message for people.
  func failure(
    _ request: S3Request, _ reason: String, isTransient: Bool = false, suggestion: String = ""
  ) -> S3Failure {
    let name = "s3://\(place.bucket)" + (request.key.map { "/" + $0 } ?? "")
    return S3Failure(
      error: RepositoryError(
        .storeUnavailable,
        "'\(name)' cannot be \(request.purpose) at \(place.endpoint): \(reason).\(suggestion)"),
      isTransient: isTransient)
  }

  /// Converts an error of the connection.
  func failure(_ request: S3Request, _ error: any Error) -> any Error {
    let reason: String
    switch error {
    case is CancellationError, is RepositoryError, is S3Failure: return error
    case let error as HTTPClientError where error == .cancelled: return CancellationError()
    case let error as HTTPClientError where [.readTimeout, .writeTimeout].contains(error):
      reason =
        "the store sent and received nothing for "
        + "\(Duration.nanoseconds(retryPolicy.stall.nanoseconds))"
    case let error as HTTPClientError
    where [
      .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .deadlineExceeded,
    ].contains(error):
      reason = "the store didn't respond in time"
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      reason = "the store closed the connection"
    case is HTTPParserError: reason = "the store's response isn't HTTP, or it ended too early"
    case is NIOTooManyBytesError: reason = "the store's response is too large"
    case let error as NIOConnectionError:
      let first = error.connectionErrors.first.map { "\($0.error)" }
      reason =
        "\(error.host):\(error.port) can't be reached (\(first ?? "the host name is unknown"))"
    case let error where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
      return failure(
        request, "the store's certificate doesn't prove that it is '\(place.host)'")
    default: reason = "\(error)"
    }
    return failure(request, reason, isTransient: true)
  }

  /// Creates the failure for an error response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - status: The status of the response.
  ///   - fields: The header fields of the response.
  ///   - answer: The root element of the body, if there is one. Only an element `Error` is used.
  /// - Returns: The failure.
  func refusal(
    _ request: S3Request, _ status: Int, _ fields: HTTPHeaders, _ answer: S3Element?
  ) -> S3Failure {
    let answer = answer?.name == "Error" ? answer : nil
    let code = answer?["Code"].map { shown($0.text, 60) }
    let message = answer?["Message"].map { shown($0.text, 300) }
    let region = fields.first(name: "x-amz-bucket-region") ?? answer?["Region"]?.text
    var said = "the store responded with \(status)"
    if let code { said += " \(code)" }
    if let message { said += ", '\(message)'" }
    var failure = failure(
      request, said, isTransient: Self.isTransient(status, code),
      suggestion: suggestion(status, code, region: region.map { shown($0, 64) }))
    failure.code = code
    failure.retryAfter = fields.first(name: "retry-after").flatMap { Int($0) }
      .map { .seconds(max(0, $0)) }
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
    if let region, region != place.region,
      (300..<400).contains(status) || code == "AuthorizationHeaderMalformed"
    {
      return " The bucket is in the region '\(region)', not in '\(place.region)'. Use that region."
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
