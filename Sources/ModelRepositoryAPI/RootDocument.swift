// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A document that says which keys the clients of a repository trust.
///
/// It names the keys that sign channel documents, and the keys, kept offline, that sign the next
/// root document.
///
/// A client follows root documents one by one. Version N + 1 must have as many signatures by keys
/// of version N as version N requires, and as many by its own keys as it requires itself. A stolen
/// channel key is replaced by publishing a new root document, without updating any program.
///
/// The design follows the root role of The Update Framework (TUF).
public struct RootDocument: Sendable, Hashable, Codable {
  /// The keys that sign root documents.
  public struct RootRole: Sendable, Hashable, Codable {
    /// The number of different keys that must sign.
    public var threshold: Int
    /// The keys, in base 64.
    public var keys: [String]

    /// Creates a role.
    public init(threshold: Int, keys: [VerificationKey]) {
      self.threshold = threshold
      self.keys = keys.map(\.text)
    }

    /// Decodes the keys.
    ///
    /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
    package func verificationKeys() throws -> [VerificationKey] {
      try keys.map { try VerificationKey($0) }
    }
  }

  /// A key that signs channel documents.
  public struct ChannelKey: Sendable, Hashable, Codable {
    /// The key, in base 64.
    public var key: String
    /// The date after which clients reject its signatures, or nil if only the root document limits
    /// them.
    public var expires: Date?

    package init(_ key: VerificationKey, expires: Date? = nil) {
      self.key = key.text
      self.expires = expires
    }
  }

  /// The keys that sign channel documents.
  public struct ChannelRole: Sendable, Hashable, Codable {
    /// The keys, of which any one may sign.
    public var keys: [ChannelKey]
    /// Revoked keys, in base 64, which may be in other hands.
    ///
    /// Clients delete versions that only revoked keys ever signed for.
    public var revoked: [String]

    package init(keys: [ChannelKey], revoked: [VerificationKey] = []) {
      self.keys = keys
      self.revoked = revoked.map(\.text)
    }

    /// Decodes the keys that are valid at a given time, or all keys.
    ///
    /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
    package func verificationKeys(at now: Date? = nil) throws -> [VerificationKey] {
      try keys.filter { key in
        guard let now, let expires = key.expires else { return true }
        return now < expires
      }.map { try VerificationKey($0.key) }
    }
  }

  /// The document's type, which is always `root` so that no other document passes for one.
  public var type = "root"
  /// The document's number, which starts at 1 and has no gaps.
  public var version: Int
  /// When it was signed.
  public var issued: Date
  /// The date after which clients require a newer one.
  public var expires: Date
  /// The keys that sign root documents.
  public var root: RootRole
  /// The keys that sign channel documents.
  public var channels: ChannelRole

  package init(version: Int, issued: Date, expires: Date, root: RootRole, channels: ChannelRole) {
    self.version = version
    self.issued = issued
    self.expires = expires
    self.root = root
    self.channels = channels
  }

  /// The dates on which the document was issued and expires.
  package var times: DocumentTimes { DocumentTimes(issued: issued, expires: expires) }

  /// The maximum size of a signed root document, in bytes.
  package static let maximumBytes = 256 << 10
  /// The maximum number of keys in a role.
  private static let maximumKeys = 32
  /// The maximum number of revoked keys.
  private static let maximumRevokedKeys = 256

  /// Checks the constraints that decoding doesn't check.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidDocument` or `.invalidKey`.
  package func validate() throws {
    func require(_ condition: Bool, _ what: String) throws {
      guard condition else {
        throw RepositoryError(.invalidDocument, "Root document \(version) \(what).")
      }
    }
    try require(type == "root", "is of type '\(type.prefix(20))', not 'root'")
    try require((1...1_000_000).contains(version), "has an invalid version")
    try require(issued < expires, "expires before it was issued")
    let rootKeys = try root.verificationKeys()
    let channelKeys = try channels.keys.map { try VerificationKey($0.key) }
    let revoked = try channels.revoked.map { try VerificationKey($0) }
    for (name, keys) in [("root", rootKeys), ("channels", channelKeys)] {
      try require(
        (1...Self.maximumKeys).contains(keys.count),
        "has \(keys.count) keys under '\(name)', but it must have 1 to \(Self.maximumKeys)")
    }
    try require(
      revoked.count <= Self.maximumRevokedKeys,
      "revokes \(revoked.count) keys, but at most \(Self.maximumRevokedKeys) are allowed")
    try require(
      (1...rootKeys.count).contains(root.threshold),
      "has the threshold \(root.threshold), which doesn't fit its \(rootKeys.count) root keys")
    let all = rootKeys + channelKeys + revoked
    try require(Set(all).count == all.count, "names the same key twice")
    try require(Set(all.map(\.id)).count == all.count, "has two keys with the same ID")
  }
}
#endif
