// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// An error from downloading a bundle, caused by the URL, the network or the server.
struct DownloadError: Error {
  /// A kind of failure, whose raw value is the code in the API.
  enum Code: String {
    case invalidURL = "invalid_url"
    /// The server is in a forbidden network, or a redirect drops encryption.
    case addressNotAllowed = "address_not_allowed"
    case notFound = "not_found"
    /// The server responded with something other than a file.
    case serverError = "server_error"
    /// The server is unknown or unreachable, has an invalid certificate, or closed the connection.
    case connectionFailed = "connection_failed"
    case tooLarge = "too_large"
    case timedOut = "timed_out"
    case cancelled
    case cannotWrite = "cannot_write"
  }

  let code: Code
  let message: String
  let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension DownloadError: CustomStringConvertible {
  var description: String { message }
}
#endif
