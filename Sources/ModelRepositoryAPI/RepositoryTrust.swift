// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// Which keys a client trusts, and how it learns of others.
///
/// It begins with what came with the program: keys, or a root document. Keys are trusted to sign
/// channels' documents until there is a root document that one of them signed; from then on only
/// root documents decide, and each one has to be signed by the keys of the one before.
public struct RepositoryTrust: Sendable, Hashable {
  /// The keys that came with the program; empty where a root document did.
  public let pinned: [VerificationKey]
  /// A name for what came with the program; something else gives another name.
  public let anchor: String
  /// The newest root document; nil where there is none yet.
  public private(set) var root: RootDocument?
  /// The newest root document with its signatures.
  public private(set) var signedRoot: SignedDocument?

  /// Trusts keys.
  ///
  /// - Parameter keys: Keys that sign channels' documents or root documents.
  public init(keys: [VerificationKey]) {
    pinned = keys
    anchor = Self.anchor(of: keys.map(\.text).sorted().joined(separator: "\n").utf8)
  }

  /// Trusts a root document.
  ///
  /// - Parameter signed: The document, which came with the program.
  /// - Throws: ``RepositoryError`` for what is not signed as it asks itself.
  public init(root signed: SignedDocument) throws {
    pinned = []
    anchor = Self.anchor(of: signed.document)
    root = try signed.selfSignedRoot()
    signedRoot = signed
  }

  /// The version of the root document that is trusted; 0 where there is none.
  public var version: Int { root?.version ?? 0 }

  /// Goes on to another root document.
  ///
  /// Whether it expired does not matter here: it may be one on the way to the newest.
  ///
  /// - Parameter signed: The document after ``root``; the first one has any version.
  /// - Throws: ``RepositoryError`` with the codes `.untrusted`, `.replayed`, `.invalidDocument` and
  ///   `.invalidKey`; the trust is what it was then.
  public mutating func accept(_ signed: SignedDocument) throws {
    let next = try signed.selfSignedRoot()
    if let root {
      guard next.version == root.version + 1 else {
        throw RepositoryError(
          .replayed,
          "Root document \(root.version) is trusted, so that \(root.version + 1) comes next, "
            + "not \(next.version).")
      }
      try signed.require(root.root, "the former", of: next.version)
    } else {
      guard !signed.signers(among: pinned).isEmpty else {
        throw RepositoryError(
          .untrusted,
          "Root document \(next.version) is not signed by a key that this program trusts: "
            + "\(pinned.map(\.id)).")
      }
    }
    root = next
    signedRoot = signed
  }

  /// The keys whose signatures of channels' documents count.
  ///
  /// - Parameter now: The time.
  /// - Returns: The keys.
  /// - Throws: ``RepositoryError`` with the codes `.expired`, `.notYetValid` and `.invalidDocument`
  ///   for the times of the root document.
  public func keys(at now: Date) throws -> [VerificationKey] {
    guard let root else { return pinned }
    try root.times.check(at: now, "Root document \(root.version)")
    return try root.channels.verificationKeys(at: now)
  }

  /// The keys that somebody else may have.
  public var revokedKeyIDs: Set<String> {
    let keys = (root?.channels.revoked ?? []).compactMap { try? VerificationKey($0) }
    return Set(keys.map(\.id))
  }

  /// Goes back to a root document that was accepted before and kept where nobody else writes.
  ///
  /// - Parameter signed: The document; one that is older than ``root`` changes nothing.
  /// - Throws: ``RepositoryError`` for what is not signed as it asks itself.
  public mutating func restore(_ signed: SignedDocument) throws {
    let kept = try signed.selfSignedRoot()
    guard kept.version > version else { return }
    root = kept
    signedRoot = signed
  }

  private static func anchor(of bytes: some Sequence<UInt8>) -> String {
    String(BlobDigest(of: bytes).hexadecimal.prefix(32))
  }
}
#endif
