// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import ModelRepositoryAPI
import TensorIO

/// Why a model was not downloaded, or cannot be used.
///
/// Branch on ``code``; show ``message`` to a person.
public struct ModelRepositoryClientError: Error, Sendable {
  /// What kind of failure it is.
  public var code: Code
  /// What happened, naming the thing and both sides, and how to mend it.
  public var message: String
  /// The HTTP status, for `.serverError`, `.notFound` and `.unauthorized`.
  public var status: Int?
  /// The bytes that are needed and there, for `.diskFull`.
  public var bytes: (needed: Int, available: Int)?
  /// The digest that a blob should have, and the one it has, for `.corrupt`.
  public var digests: (expected: BlobDigest, found: BlobDigest?)?
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

extension ModelRepositoryClientError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension ModelRepositoryClientError {
  /// The kinds of failure; the description is a word for programs, such as `not_found`.
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

    /// The configuration makes no sense.
    public static var invalidConfiguration: Code { Code(.invalidConfiguration) }
    /// The server, or the cache, has no such model.
    public static var notFound: Code { Code(.notFound) }
    /// The server wants a token, or another one.
    public static var unauthorized: Code { Code(.unauthorized) }
    /// No trusted key signed the document, or it is of another model or channel.
    public static var untrusted: Code { Code(.untrusted) }
    /// A document or a manifest makes no sense.
    public static var invalidDocument: Code { Code(.invalidDocument) }
    /// The document is too old to be taken for new.
    public static var expired: Code { Code(.expired) }
    /// The document was issued in the future: a clock is wrong.
    public static var notYetValid: Code { Code(.notYetValid) }
    /// The document is older than one that was seen before.
    public static var replayed: Code { Code(.replayed) }
    /// The versions that were there are unsafe, and were deleted.
    public static var unsafeVersion: Code { Code(.unsafeVersion) }
    /// The version failed twice here, and is not fetched again.
    public static var quarantined: Code { Code(.quarantined) }
    /// A blob has other bytes than its digest says.
    public static var corrupt: Code { Code(.corrupt) }
    /// There is more than ``ModelRepositoryConfiguration/maximumBytes``, or than any document may have.
    public static var tooLarge: Code { Code(.tooLarge) }
    /// The server is not known, cannot be reached, or broke off.
    public static var connectionFailed: Code { Code(.connectionFailed) }
    /// The server was silent for too long.
    public static var timedOut: Code { Code(.timedOut) }
    /// The server answered with something else than was asked for.
    public static var serverError: Code { Code(.serverError) }
    /// There is not enough space.
    public static var diskFull: Code { Code(.diskFull) }
    /// The cache cannot be read or written.
    public static var cannotWrite: Code { Code(.cannotWrite) }
    /// The device is in a state in which the caller wants no download.
    public static var conditionsNotMet: Code { Code(.conditionsNotMet) }
    /// The device does not tell whether a condition is met.
    public static var conditionUnknown: Code { Code(.conditionUnknown) }
    /// The version is of a format that this call cannot load.
    public static var unsupportedFormat: Code { Code(.unsupportedFormat) }
    /// The task was cancelled.
    public static var cancelled: Code { Code(.cancelled) }

    /// The word for programs.
    public var description: String { wrapped.rawValue }
  }
}

extension ModelRepositoryClientError {
  /// What an error from within is for a caller.
  init(_ error: any Error) {
    switch error {
    case let error as ModelRepositoryClientError: self = error
    case is CancellationError: self.init(.cancelled, "The download was cancelled.", cause: error)
    case let error as FileFailure:
      self.init(error.isDiskFull ? .diskFull : .cannotWrite, "\(error).", cause: error)
    case let error as TensorIOError: self.init(.cannotWrite, error.message, cause: error)
    default:
      self.init(
        .cannotWrite, "The cache failed: \(FileSystem.reason(for: error)).", cause: error)
    }
  }
}
#endif
