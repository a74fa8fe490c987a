// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Why a zip file, or a repository's version, did not become a model, and what to do about it.
///
/// Branch on ``code``; show ``message`` to a person. No message has a path of this computer.
public struct ImportError: Error, Sendable {
  /// What kind of failure it is.
  public var code: Code
  /// What happened, naming the thing, and what to do about it.
  public var message: String
  /// The error that led to this one, if there was one.
  public var cause: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened and what to do about it, as one or two sentences.
  ///   - cause: The error that led to this one.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension ImportError: CustomStringConvertible {
  public var description: String { message }
}

extension ImportError {
  /// The kinds of failure; the description is the word that programs get, such as `no_bundle`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
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

    /// The file is no zip file.
    public static var notAZip: Code { Code(.notAZip) }
    /// The zip file is cut, contradicts itself, or has other bytes than were packed.
    public static var damagedZip: Code { Code(.damagedZip) }
    /// The zip file has entries that are never unpacked: names that lead elsewhere or stand twice, links,
    /// encrypted ones, ones that are compressed in another way than Deflate.
    public static var unsafeZip: Code { Code(.unsafeZip) }
    /// The zip file goes beyond ``ArchiveLimits``.
    public static var zipTooLarge: Code { Code(.zipTooLarge) }
    /// A bundle that came without a zip file goes beyond ``ArchiveLimits``.
    public static var tooLarge: Code { Code(.tooLarge) }
    /// The zip file's top level has no bundle.
    public static var noBundle: Code { Code(.noBundle) }
    /// The zip file's top level has more than one bundle.
    public static var severalBundles: Code { Code(.severalBundles) }
    /// The bundle breaks a rule, or its model cannot be loaded.
    public static var invalidBundle: Code { Code(.invalidBundle) }
    /// The model has other inputs than one picture in colour.
    public static var notAVisionModel: Code { Code(.notAVisionModel) }
    /// A model of that id came with the program, and is not replaced.
    public static var modelIsShipped: Code { Code(.modelIsShipped) }
    /// A model with the same id is there, and nobody asked for it to be replaced.
    public static var sameID: Code { Code(.sameID) }
    /// What a repository gives is older than what is there.
    public static var replayed: Code { Code(.replayed) }
    /// The import was asked to end.
    public static var cancelled: Code { Code(.cancelled) }
    /// The models folder cannot be written.
    public static var cannotWrite: Code { Code(.cannotWrite) }

    public var description: String { wrapped.rawValue }
  }
}

extension ImportError {
  /// The import was asked to end.
  static var cancelled: ImportError { ImportError(.cancelled, "The import was cancelled.") }

  /// The system refused to write something.
  static func cannotWrite(_ name: String, _ error: any Error) -> ImportError {
    ImportError(
      .cannotWrite, "'\(name)' cannot be written: \(FileSystem.reason(for: error)).", cause: error)
  }
}
