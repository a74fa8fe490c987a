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

  package init(
    _ code: Code, _ message: String, status: Int? = nil,
    digests: (expected: BlobDigest, found: BlobDigest?)? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.status = status
    self.digests = digests
    self.cause = cause
  }
}

extension ModelRepositoryClientError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension ModelRepositoryClientError {
  /// The kinds of failure.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word for programs, such as `not_found`.
    public let rawValue: String

    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value.
    public var description: String { rawValue }

    /// The configuration is invalid.
    public static let invalidConfiguration = Code(rawValue: "invalid_configuration")
    /// The server or the cache doesn't have the model.
    public static let notFound = Code(rawValue: "not_found")
    /// The server requires a token, or doesn't accept the one that was sent.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// No trusted key signed the document, or it belongs to another model or channel.
    public static let untrusted = Code(rawValue: "untrusted")
    /// A document or a manifest is invalid.
    public static let invalidDocument = Code(rawValue: "invalid_document")
    /// The document has expired.
    public static let expired = Code(rawValue: "expired")
    /// The document was issued in the future, so a clock is wrong.
    public static let notYetValid = Code(rawValue: "not_yet_valid")
    /// The document is older than one that this computer has already seen.
    public static let replayed = Code(rawValue: "replayed")
    /// The downloaded versions were unsafe and have been deleted.
    public static let unsafeVersion = Code(rawValue: "unsafe_version")
    /// The version failed twice on this computer, so it isn't fetched again.
    public static let quarantined = Code(rawValue: "quarantined")
    /// A blob's bytes don't match its digest.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A version is larger than ``ModelRepositoryConfiguration/maximumBytes``, or a document is
    /// larger than its limit.
    public static let tooLarge = Code(rawValue: "too_large")
    /// The server's host is unknown, the server can't be reached, or it closed the connection.
    public static let connectionFailed = Code(rawValue: "connection_failed")
    /// The server didn't respond in time.
    public static let timedOut = Code(rawValue: "timed_out")
    /// The server's response was an error, or wasn't what was requested.
    public static let serverError = Code(rawValue: "server_error")
    /// There isn't enough space on the disk.
    public static let diskFull = Code(rawValue: "disk_full")
    /// The cache can't be read or written.
    public static let cannotWrite = Code(rawValue: "cannot_write")
    /// The device doesn't meet the caller's download conditions.
    public static let conditionsNotMet = Code(rawValue: "conditions_not_met")
    /// The device doesn't report whether a condition is met.
    public static let conditionUnknown = Code(rawValue: "condition_unknown")
    /// The version has a format that this call can't load.
    public static let unsupportedFormat = Code(rawValue: "unsupported_format")
    /// The task was cancelled.
    public static let cancelled = Code(rawValue: "cancelled")
  }
}

extension ModelRepositoryClientError {
  /// Converts an internal error to one for callers.
  init(_ error: any Error) {
    switch error {
    case let error as ModelRepositoryClientError: self = error
    case is CancellationError: self.init(.cancelled, "The download was cancelled.", cause: error)
    case let error as RepositoryError:
      let code: Code =
        switch error.code {
        case .untrusted: .untrusted
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .replayed: .replayed
        default: .invalidDocument
        }
      self.init(code, error.message, cause: error)
    case let error as FileError:
      self.init(error.isDiskFull ? .diskFull : .cannotWrite, "\(error).", cause: error)
    case let error as TensorIOError: self.init(.cannotWrite, error.message, cause: error)
    default:
      self.init(
        .cannotWrite,
        "The cache can't be read or written: \(FileSystem.reason(for: error)).", cause: error)
    }
  }

  /// Runs some work, and converts its errors to ones for callers.
  static func converting<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      throw ModelRepositoryClientError(error)
    }
  }
}
#endif
