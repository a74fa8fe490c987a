// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
public import ModelRepositoryAPI
import TensorIO

/// An error that says why a model wasn't downloaded or can't be used.
///
/// Use ``code`` in programs, and show ``message`` to people.
public struct ModelRepositoryClientError: Error, Sendable {
  /// The kind of failure.
  public var code: Code
  /// A message that says what happened, to what, what was expected, and how to fix it.
  public var message: String
  /// The HTTP status, for `.serverError`, `.notFound` and `.unauthorized`.
  public var status: Int?
  /// The bytes that are needed and the bytes that are available, for `.diskFull`.
  public var bytes: (needed: Int, available: Int)?
  /// The digest that a blob should have and the digest that was found, for `.corrupt`.
  public var digests: (expected: BlobDigest, found: BlobDigest?)?
  /// The error that caused this one, if there is one.
  public var cause: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened and how to fix it, in one or two sentences.
  ///   - cause: The error that caused this one.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension ModelRepositoryClientError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension ModelRepositoryClientError {
  /// The kinds of failure.
  ///
  /// The description is a word for programs, such as `not_found`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Wrapped: String {
      case invalidConfiguration = "invalid_configuration"
      case notFound = "not_found"
      case unauthorized
      case untrusted
      case invalidDocument = "invalid_document"
      case expired
      case notYetValid = "not_yet_valid"
      case replayed
      case unsafeVersion = "unsafe_version"
      case quarantined
      case corrupt
      case tooLarge = "too_large"
      case connectionFailed = "connection_failed"
      case timedOut = "timed_out"
      case serverError = "server_error"
      case diskFull = "disk_full"
      case cannotWrite = "cannot_write"
      case conditionsNotMet = "conditions_not_met"
      case conditionUnknown = "condition_unknown"
      case unsupportedFormat = "unsupported_format"
      case cancelled
    }
    private let wrapped: Wrapped
    private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// The configuration is invalid.
    public static var invalidConfiguration: Code { Code(.invalidConfiguration) }
    /// The server or the cache doesn't have the model.
    public static var notFound: Code { Code(.notFound) }
    /// The server requires a token, or doesn't accept the one that was sent.
    public static var unauthorized: Code { Code(.unauthorized) }
    /// No trusted key signed the document, or it belongs to another model or channel.
    public static var untrusted: Code { Code(.untrusted) }
    /// A document or a manifest is invalid.
    public static var invalidDocument: Code { Code(.invalidDocument) }
    /// The document has expired.
    public static var expired: Code { Code(.expired) }
    /// The document was issued in the future, so a clock is wrong.
    public static var notYetValid: Code { Code(.notYetValid) }
    /// The document is older than one that this computer has already seen.
    public static var replayed: Code { Code(.replayed) }
    /// The downloaded versions were unsafe and have been deleted.
    public static var unsafeVersion: Code { Code(.unsafeVersion) }
    /// The version failed twice on this computer, so it isn't fetched again.
    public static var quarantined: Code { Code(.quarantined) }
    /// A blob's bytes don't match its digest.
    public static var corrupt: Code { Code(.corrupt) }
    /// A version is larger than ``ModelRepositoryConfiguration/maximumBytes``, or a document is
    /// larger than its limit.
    public static var tooLarge: Code { Code(.tooLarge) }
    /// The server's host is unknown, the server can't be reached, or it closed the connection.
    public static var connectionFailed: Code { Code(.connectionFailed) }
    /// The server didn't respond in time.
    public static var timedOut: Code { Code(.timedOut) }
    /// The server's response was an error, or wasn't what was requested.
    public static var serverError: Code { Code(.serverError) }
    /// There isn't enough space on the disk.
    public static var diskFull: Code { Code(.diskFull) }
    /// The cache can't be read or written.
    public static var cannotWrite: Code { Code(.cannotWrite) }
    /// The device doesn't meet the caller's download conditions.
    public static var conditionsNotMet: Code { Code(.conditionsNotMet) }
    /// The device doesn't report whether a condition is met.
    public static var conditionUnknown: Code { Code(.conditionUnknown) }
    /// The version has a format that this call can't load.
    public static var unsupportedFormat: Code { Code(.unsupportedFormat) }
    /// The task was cancelled.
    public static var cancelled: Code { Code(.cancelled) }

    /// The word for programs.
    public var description: String { wrapped.rawValue }
  }
}

extension ModelRepositoryClientError {
  /// Converts an internal error to one for callers.
  init(_ error: any Error) {
    switch error {
    case let error as ModelRepositoryClientError: self = error
    case is CancellationError: self.init(.cancelled, "The download was cancelled.", cause: error)
    case let error as FileError:
      self.init(error.isDiskFull ? .diskFull : .cannotWrite, "\(error).", cause: error)
    case let error as TensorIOError: self.init(.cannotWrite, error.message, cause: error)
    default:
      self.init(
        .cannotWrite,
        "The cache can't be read or written: \(FileSystem.reason(for: error)).", cause: error)
    }
  }
}
#endif
