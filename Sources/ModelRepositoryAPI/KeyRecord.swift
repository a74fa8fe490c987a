// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A key of a repository, as `tensorio repository keys list` shows it.
public struct KeyRecord: Sendable, Hashable, Codable {
  /// The kind of documents that a key signs.
  public enum Role: String, Sendable, Codable {
    /// Root documents.
    case root
    /// Channel documents.
    case channels
  }

  /// The state of a key.
  public enum State: String, Sendable, Codable {
    /// The root document names the key, and the private key is kept elsewhere.
    case trusted
    /// The server signs with it.
    case signing
    /// The root document names the key, but its private key isn't in the data folder.
    case missing
    /// The key has expired.
    case expired
    /// The private key is in the data folder, but the root document doesn't name the key.
    case unnamed
    /// The key may be in other hands, and clients reject it.
    case revoked
  }

  /// See ``VerificationKey/id``.
  public var id: String
  /// See ``VerificationKey/text``.
  public var key: String
  /// The kind of documents that it signs.
  public var role: Role
  /// The key's state.
  public var state: State
  /// The `NAME` of the file `keys/NAME.key`, or nil if there is no file.
  public var name: String?
  /// The date after which clients reject its signatures, or nil if it has none.
  public var expires: Date?

  /// Creates an entry.
  public init(_ key: VerificationKey, role: Role, state: State) {
    id = key.id
    self.key = key.text
    self.role = role
    self.state = state
  }
}
#endif
