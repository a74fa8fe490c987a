// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

/// Why an import failed and what to do about it, without paths of this computer.
struct ImportError: Error, Sendable {
  var code: Code
  var message: String
  var cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension ImportError: CustomStringConvertible {
  var description: String { message }

  /// The kinds of failure, whose raw values are the codes in the API, such as `no_bundle`.
  enum Code: String, Sendable {
    case invalidURL = "invalid_url"
    /// The server is in a forbidden network, or a redirect drops encryption.
    case addressNotAllowed = "address_not_allowed"
    case notFound = "not_found"
    /// The server responded with something other than a file.
    case serverError = "server_error"
    /// The server is unknown or unreachable, has an invalid certificate, or closed the connection.
    case connectionFailed = "connection_failed"
    case timedOut = "timed_out"
    case notAZip = "not_a_zip"
    /// The zip file is truncated, contradicts itself, or has other bytes than were packed.
    case damagedZip = "damaged_zip"
    /// The zip file has entries that are never unpacked.
    ///
    /// These are names that lead outside the folder or occur twice, links, encrypted entries, and
    /// entries with a compression method other than Deflate.
    case unsafeZip = "unsafe_zip"
    /// The zip file exceeds ``ArchiveLimits``.
    case zipTooLarge = "zip_too_large"
    case tooLarge = "too_large"
    case noBundle = "no_bundle"
    case severalBundles = "several_bundles"
    /// The bundle breaks a rule, or its model can't be loaded.
    case invalidBundle = "invalid_bundle"
    /// The page can't show the model's inputs.
    case notAServedModel = "not_a_vision_model"
    /// A model with the same id came with the program and can't be replaced.
    case modelIsShipped = "model_is_shipped"
    /// A model with the same id exists, and replacing it wasn't requested.
    case sameID = "same_id"
    /// The repository's version is older than the existing one.
    case replayed
    case cancelled
    case cannotWrite = "cannot_write"
  }

  static var cancelled: ImportError { ImportError(.cancelled, "The import was cancelled.") }

  /// Writes something, and names it in the error if the system refuses.
  static func writing<Result>(_ name: String, _ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as ImportError {
      throw error
    } catch {
      let cause = (error as? TensorIOError)?.cause ?? error
      let reason =
        cause is TensorIOError
        ? "the models folder cannot be used" : FileSystem.reason(for: cause)
      throw ImportError(.cannotWrite, "'\(name)' cannot be written: \(reason).", cause: error)
    }
  }
}
#endif
