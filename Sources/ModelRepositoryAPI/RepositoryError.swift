// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// An error in something that a repository or a client was given.
public struct RepositoryError: Error, Sendable, Hashable {
  /// A code that lets programs tell errors apart.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as a server's error response has it.
    public let rawValue: String

    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value.
    public var description: String { rawValue }

    /// A manifest is invalid.
    public static let invalidManifest = Code(rawValue: "invalid_manifest")
    /// A channel document or a root document is invalid.
    public static let invalidDocument = Code(rawValue: "invalid_document")
    /// No trusted key signed the document.
    public static let untrusted = Code(rawValue: "untrusted")
    /// The text or file isn't a valid key.
    public static let invalidKey = Code(rawValue: "invalid_key")
    /// A server's setting or a command's argument is invalid.
    public static let invalidOption = Code(rawValue: "invalid_option")
    /// The document has expired.
    public static let expired = Code(rawValue: "expired")
    /// The document was issued in the future.
    public static let notYetValid = Code(rawValue: "not_yet_valid")
    /// The document's version isn't the expected next one.
    public static let replayed = Code(rawValue: "replayed")
    /// Other users can read the private key.
    public static let exposedKey = Code(rawValue: "exposed_key")
    /// The keys that sign the documents are missing.
    public static let missingKeys = Code(rawValue: "missing_keys")
    /// Another process is using the data folder.
    public static let locked = Code(rawValue: "locked")
    /// The database's structure is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// The data folder or a file in it can't be read or written.
    public static let storage = Code(rawValue: "storage")
    /// A blob store on another machine doesn't respond, or refuses the request.
    public static let storeUnavailable = Code(rawValue: "store_unavailable")
  }

  /// The code for programs.
  public var code: Code
  /// A message for people.
  public var message: String
  /// The system's reason, which the message ends with, without the server's paths.
  package var reason: String?

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Creates an error of the code `.storage`, whose subject begins the message's sentence.
  package init(storage subject: String, _ reason: String) {
    self.init(.storage, "\(subject): \(reason).")
    self.reason = reason
  }
}

extension RepositoryError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
#endif
