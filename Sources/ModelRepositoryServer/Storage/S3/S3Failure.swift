// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import ModelRepositoryAPI
import NIOHTTP1
import WebClient

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
