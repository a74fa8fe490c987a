// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A key of a repository, as `tensorio repository keys list` shows it.
public struct KeyRecord: Sendable, Hashable, Codable {
  /// What a key signs.
  public enum Role: String, Sendable, Codable {
    /// Root documents.
    case root
    /// Channels' documents.
    case channels
  }

  /// What becomes of a key's signatures.
  public enum State: String, Sendable, Codable {
    /// The root document names it; the private key is kept elsewhere.
    case trusted
    /// The server signs with it.
    case signing
    /// The root document names it, and its private key is not in the data folder.
    case missing
    /// Its time is over.
    case expired
    /// Its private key is in the data folder, and the root document does not name it.
    case unnamed
    /// Somebody else may have it; clients refuse it.
    case revoked
  }

  /// See ``VerificationKey/id``.
  public var id: String
  /// See ``VerificationKey/text``.
  public var key: String
  /// What it signs.
  public var role: Role
  /// What becomes of its signatures.
  public var state: State
  /// The file `keys/NAME.key`; nil where there is none.
  public var name: String?
  /// The date after which its signatures count for nothing.
  public var expires: Date?

  /// Makes an entry.
  public init(_ key: VerificationKey, role: Role, state: State) {
    id = key.id
    self.key = key.text
    self.role = role
    self.state = state
  }
}
#endif
