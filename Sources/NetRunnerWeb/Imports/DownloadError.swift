// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// An error from downloading a bundle, caused by the URL, the network or the server.
///
/// Programs check ``code``, and people read ``message``.
public struct DownloadError: Error, Sendable {
  /// The kind of failure.
  public var code: Code
  /// A message that names the URL, and says what happened and how to fix it.
  public var message: String
  /// The underlying error, if there is one.
  public var cause: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: One or two sentences that say what happened and how to fix it.
  ///   - cause: The underlying error.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension DownloadError: CustomStringConvertible {
  public var description: String { message }
}

extension DownloadError {
  /// A kind of failure, whose description is the code in the API, such as `not_found`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Wrapped: String {
      case invalidURL = "invalid_url"
      case addressNotAllowed = "address_not_allowed"
      case notFound = "not_found"
      case serverError = "server_error"
      case connectionFailed = "connection_failed"
      case tooLarge = "too_large"
      case timedOut = "timed_out"
      case cancelled
      case cannotWrite = "cannot_write"
    }
    private let wrapped: Wrapped
    private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// The text isn't a valid URL for a bundle.
    public static var invalidURL: Code { Code(.invalidURL) }
    /// The server is in a forbidden network, or a redirect drops encryption.
    public static var addressNotAllowed: Code { Code(.addressNotAllowed) }
    /// The server doesn't have the file.
    public static var notFound: Code { Code(.notFound) }
    /// The server responded with something other than a file.
    public static var serverError: Code { Code(.serverError) }
    /// The server is unknown or unreachable, has an invalid certificate, or closed the connection.
    public static var connectionFailed: Code { Code(.connectionFailed) }
    /// The file has more bytes than ``DownloadLimits/bytes``.
    public static var tooLarge: Code { Code(.tooLarge) }
    /// The server didn't respond, or the download took too long.
    public static var timedOut: Code { Code(.timedOut) }
    /// The task was cancelled.
    public static var cancelled: Code { Code(.cancelled) }
    /// The file can't be written.
    public static var cannotWrite: Code { Code(.cannotWrite) }

    public var description: String { wrapped.rawValue }
  }
}
#endif
