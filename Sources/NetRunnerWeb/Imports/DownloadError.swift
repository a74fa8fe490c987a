// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// Why a bundle was not downloaded: what the address, the network or the server did.
///
/// Branch on ``code``; show ``message`` to a person.
public struct DownloadError: Error, Sendable {
  /// What kind of failure it is.
  public var code: Code
  /// What happened, naming the address, and how to mend it.
  public var message: String
  /// The error that led to this one, if there was one.
  public var cause: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened and how to mend it, as one or two sentences.
  ///   - cause: The error that led to this one.
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
  /// The kinds of failure; the description is the word that programs get, such as `not_found`.
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

    /// The text is no address that a bundle can have.
    public static var invalidURL: Code { Code(.invalidURL) }
    /// The server is in a network that nothing is fetched from, or a redirection gives up encryption.
    public static var addressNotAllowed: Code { Code(.addressNotAllowed) }
    /// The server has nothing there.
    public static var notFound: Code { Code(.notFound) }
    /// The server answered with something else than a file.
    public static var serverError: Code { Code(.serverError) }
    /// The server is not known, cannot be reached, does not prove its name, or broke off.
    public static var connectionFailed: Code { Code(.connectionFailed) }
    /// The file has more bytes than ``DownloadLimits/bytes``.
    public static var tooLarge: Code { Code(.tooLarge) }
    /// The server was silent, or the download took too long.
    public static var timedOut: Code { Code(.timedOut) }
    /// The task was cancelled.
    public static var cancelled: Code { Code(.cancelled) }
    /// The file cannot be written.
    public static var cannotWrite: Code { Code(.cannotWrite) }

    public var description: String { wrapped.rawValue }
  }
}
#endif
