// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// What is wrong with something that a repository, or a client, was given.
public struct RepositoryError: Error, Sendable, Hashable {
  /// What programs tell errors apart by.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code, as it stands in ``ProblemDetails``.
    public let rawValue: String

    /// Makes a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A manifest that no version may have.
    public static let invalidManifest = Code(rawValue: "invalid_manifest")
    /// A channel's document that makes no sense.
    public static let invalidDocument = Code(rawValue: "invalid_document")
    /// No known key signed it.
    public static let untrusted = Code(rawValue: "untrusted")
    /// A key that is none.
    public static let invalidKey = Code(rawValue: "invalid_key")
    /// A server's setting, or a command's argument, that cannot be.
    public static let invalidOption = Code(rawValue: "invalid_option")
    /// A document whose time is over.
    public static let expired = Code(rawValue: "expired")
    /// A document that was issued in the future.
    public static let notYetValid = Code(rawValue: "not_yet_valid")
    /// A document that is not the next one.
    public static let replayed = Code(rawValue: "replayed")
    /// A private key that other users can read.
    public static let exposedKey = Code(rawValue: "exposed_key")
    /// Documents whose signing keys are not there.
    public static let missingKeys = Code(rawValue: "missing_keys")
    /// A data folder that another process has.
    public static let locked = Code(rawValue: "locked")
    /// A database whose structure is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// A data folder, or a file in it, that cannot be read or written.
    public static let storage = Code(rawValue: "storage")
    /// A store of blobs on another machine that does not answer, or refuses.
    public static let storeUnavailable = Code(rawValue: "store_unavailable")
  }

  /// What programs tell errors apart by.
  public var code: Code
  /// What people read.
  public var message: String

  /// Makes an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension RepositoryError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
#endif
