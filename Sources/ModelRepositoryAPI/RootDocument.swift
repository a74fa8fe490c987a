// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// Whom the clients of a repository trust: which keys sign the channels' documents, and which keys,
/// kept offline, sign the next root document.
///
/// A client follows root documents one by one: version N + 1 has to be signed by as many keys of
/// version N as that one asks for, and by as many of its own. A channel key that was stolen is
/// replaced by a new root document, without an update of any program:
///
/// ```swift
/// var trust = RepositoryTrust(keys: pinned)
/// try trust.accept(signedRoot)
/// let document = try signed.verified(by: trust.keys(at: .now))
/// ```
///
/// The model is the root role of The Update Framework (TUF).
public struct RootDocument: Sendable, Hashable, Codable {
  /// The keys that sign root documents.
  public struct RootRole: Sendable, Hashable, Codable {
    /// How many different keys have to sign.
    public var threshold: Int
    /// The keys, in base 64.
    public var keys: [String]

    /// Makes a role.
    public init(threshold: Int, keys: [VerificationKey]) {
      self.threshold = threshold
      self.keys = keys.map(\.text)
    }
  }

  /// A key that signs channels' documents.
  public struct ChannelKey: Sendable, Hashable, Codable {
    /// The key, in base 64.
    public var key: String
    /// The date after which its signatures count for nothing; nil where the root alone decides.
    public var expires: Date?

    /// Makes a key.
    public init(_ key: VerificationKey, expires: Date? = nil) {
      self.key = key.text
      self.expires = expires
    }
  }

  /// The keys that sign channels' documents.
  public struct ChannelRole: Sendable, Hashable, Codable {
    /// The keys; the signature of one of them is enough.
    public var keys: [ChannelKey]
    /// Keys, in base 64, that somebody else may have.
    ///
    /// Clients delete versions that only such keys ever vouched for.
    public var revoked: [String]

    /// Makes a role.
    public init(keys: [ChannelKey], revoked: [VerificationKey] = []) {
      self.keys = keys
      self.revoked = revoked.map(\.text)
    }
  }

  /// Always `root`, so that no other document can be taken for one.
  public var type = "root"
  /// Counts the root documents, from 1, without a gap.
  public var version: Int
  /// When it was signed.
  public var issued: Date
  /// The date after which clients want a newer one.
  public var expires: Date
  /// The keys that sign root documents.
  public var root: RootRole
  /// The keys that sign channels' documents.
  public var channels: ChannelRole

  /// Makes a document.
  public init(
    version: Int, issued: Date, expires: Date, root: RootRole, channels: ChannelRole
  ) {
    self.version = version
    self.issued = issued
    self.expires = expires
    self.root = root
    self.channels = channels
  }

  /// When the document was issued and when it expires.
  public var times: DocumentTimes { DocumentTimes(issued: issued, expires: expires) }

  /// The most bytes that a signed root document may have.
  public static let maximumBytes = 256 << 10
  /// The most keys that a role may have.
  public static let maximumKeys = 32
  /// The most keys that may be revoked.
  public static let maximumRevokedKeys = 256

  /// Checks what no decoder checks.
  ///
  /// - Throws: ``RepositoryError`` with the codes `.invalidDocument` and `.invalidKey`.
  public func validate() throws {
    func require(_ condition: Bool, _ what: String) throws {
      guard condition else {
        throw RepositoryError(.invalidDocument, "Root document \(version) \(what).")
      }
    }
    try require(type == "root", "is of type '\(type.prefix(20))', not 'root'")
    try require((1...1_000_000).contains(version), "has an impossible version")
    try require(issued < expires, "expires before it was issued")
    let rootKeys = try root.verificationKeys()
    let channelKeys = try channels.keys.map { try VerificationKey($0.key) }
    let revoked = try channels.revoked.map { try VerificationKey($0) }
    for (name, keys) in [("root", rootKeys), ("channels", channelKeys)] {
      try require(
        (1...Self.maximumKeys).contains(keys.count),
        "has \(keys.count) keys under '\(name)'; 1 to \(Self.maximumKeys) are possible")
    }
    try require(
      revoked.count <= Self.maximumRevokedKeys,
      "revokes \(revoked.count) keys; \(Self.maximumRevokedKeys) are possible")
    try require(
      (1...rootKeys.count).contains(root.threshold),
      "has the threshold \(root.threshold) for \(rootKeys.count) root keys")
    let all = rootKeys + channelKeys + revoked
    try require(Set(all).count == all.count, "names one key twice")
    try require(Set(all.map(\.id)).count == all.count, "has two keys with one id")
  }
}

extension RootDocument.RootRole {
  /// The keys.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
  public func verificationKeys() throws -> [VerificationKey] {
    try keys.map { try VerificationKey($0) }
  }
}

extension RootDocument.ChannelRole {
  /// The keys whose signatures count at a time.
  ///
  /// - Parameter now: The time; nil for all keys.
  /// - Returns: The keys.
  /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
  public func verificationKeys(at now: Date? = nil) throws -> [VerificationKey] {
    try keys.filter { key in
      guard let now, let expires = key.expires else { return true }
      return now < expires
    }.map { try VerificationKey($0.key) }
  }
}
#endif
