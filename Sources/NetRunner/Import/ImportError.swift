// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Why a zip file or a repository's version couldn't be imported, and what to do about it.
///
/// Use ``code`` in programs and show ``message`` to people. Messages never contain paths of this
/// computer.
package struct ImportError: Error, Sendable {
  /// The kind of failure.
  package var code: Code
  /// What happened, to what, and what to do about it.
  package var message: String
  /// The error that led to this one, if there was one.
  package var cause: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened and what to do about it, in one or two sentences.
  ///   - cause: The error that led to this one.
  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension ImportError: CustomStringConvertible {
  package var description: String { message }
}

extension ImportError {
  /// The kinds of failure.
  ///
  /// The description is a word for programs, such as `no_bundle`.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Wrapped: String {
      case notAZip = "not_a_zip"
      case damagedZip = "damaged_zip"
      case unsafeZip = "unsafe_zip"
      case zipTooLarge = "zip_too_large"
      case tooLarge = "too_large"
      case noBundle = "no_bundle"
      case severalBundles = "several_bundles"
      case invalidBundle = "invalid_bundle"
      case notAVisionModel = "not_a_vision_model"
      case modelIsShipped = "model_is_shipped"
      case sameID = "same_id"
      case replayed
      case cancelled
      case cannotWrite = "cannot_write"
    }
    private let wrapped: Wrapped
    private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// The file isn't a zip file.
    package static var notAZip: Code { Code(.notAZip) }
    /// The zip file is truncated, contradicts itself, or has other bytes than were packed.
    package static var damagedZip: Code { Code(.damagedZip) }
    /// The zip file has entries that are never unpacked.
    ///
    /// These are names that lead outside the folder or occur twice, links, encrypted entries, and
    /// entries with a compression method other than Deflate.
    package static var unsafeZip: Code { Code(.unsafeZip) }
    /// The zip file exceeds ``ArchiveLimits``.
    package static var zipTooLarge: Code { Code(.zipTooLarge) }
    /// A bundle that isn't in a zip file exceeds ``ArchiveLimits``.
    package static var tooLarge: Code { Code(.tooLarge) }
    /// The zip file has no bundle at its top level.
    package static var noBundle: Code { Code(.noBundle) }
    /// The zip file has several bundles at its top level.
    package static var severalBundles: Code { Code(.severalBundles) }
    /// The bundle breaks a rule, or its model can't be loaded.
    package static var invalidBundle: Code { Code(.invalidBundle) }
    /// The model's inputs are something other than a single colour image.
    package static var notAVisionModel: Code { Code(.notAVisionModel) }
    /// A model with the same id came with the program and can't be replaced.
    package static var modelIsShipped: Code { Code(.modelIsShipped) }
    /// A model with the same id exists, and replacing it wasn't requested.
    package static var sameID: Code { Code(.sameID) }
    /// The repository's version is older than the existing one.
    package static var replayed: Code { Code(.replayed) }
    /// The import was cancelled.
    package static var cancelled: Code { Code(.cancelled) }
    /// The models folder can't be written.
    package static var cannotWrite: Code { Code(.cannotWrite) }

    package var description: String { wrapped.rawValue }
  }
}

extension ImportError {
  /// The import was cancelled.
  static var cancelled: ImportError { ImportError(.cancelled, "The import was cancelled.") }

  /// Writing failed with a system error.
  static func cannotWrite(_ name: String, _ error: any Error) -> ImportError {
    ImportError(
      .cannotWrite, "'\(name)' cannot be written: \(FileSystem.reason(for: error)).", cause: error)
  }
}
