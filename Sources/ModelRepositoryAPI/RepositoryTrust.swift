// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Foundation

/// The keys that a client trusts, and how it learns of new ones.
///
/// A client starts with the keys or the root document that came with the program. The keys are
/// trusted to sign channel documents until one of them has signed a root document. From then on,
/// only root documents decide which keys are trusted, and the keys of each root document must sign
/// the next one.
package struct RepositoryTrust: Sendable, Hashable {
  /// The keys that came with the program, or an empty array if a root document came with it.
  let pinned: [VerificationKey]
  /// A name that is derived from the keys or the root document that came with the program.
  package let anchor: String
  /// The newest root document, or nil if there is none yet.
  package private(set) var root: RootDocument?
  /// The newest root document with its signatures.
  package private(set) var signedRoot: SignedDocument?

  /// Creates the trust of a client that starts with keys, which sign channel documents or root
  /// documents.
  package init(keys: [VerificationKey]) {
    pinned = keys
    anchor = Self.anchor(of: keys.map(\.text).sorted().joined(separator: "\n").utf8)
  }

  /// Creates the trust of a client that starts with a root document, which came with the program.
  ///
  /// - Throws: ``RepositoryError`` if the document doesn't have the signatures that it requires
  ///   itself.
  package init(root signed: SignedDocument) throws {
    pinned = []
    anchor = Self.anchor(of: signed.document)
    root = try signed.selfSignedRoot()
    signedRoot = signed
  }

  /// The version of the trusted root document, or 0 if there is none.
  package var version: Int { root?.version ?? 0 }

  /// Accepts the next root document.
  ///
  /// An expired document is accepted, because it may be followed by newer ones.
  ///
  /// - Parameter signed: The document that follows ``root``. The first one may have any version.
  /// - Throws: ``RepositoryError`` with the code `.untrusted`, `.replayed`, `.invalidDocument` or
  ///   `.invalidKey`. The trust is unchanged then.
  package mutating func accept(_ signed: SignedDocument) throws {
    let next = try signed.selfSignedRoot()
    if let root {
      guard next.version == root.version + 1 else {
        throw RepositoryError(
          .replayed,
          "Root document \(root.version) is trusted, so the next one must be \(root.version + 1), "
            + "not \(next.version).")
      }
      try signed.require(root.root, "the previous", of: next.version)
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

  /// Follows a server's root documents to the newest one.
  ///
  /// - Parameter fetch: Returns the root document of a version, or nil if the server has none.
  /// - Throws: The errors of ``accept(_:)`` and of the closure.
  package mutating func follow(
    _ fetch: (_ version: Int) async throws -> SignedDocument?
  ) async throws {
    for next in version + 1...version + Self.maximumSteps {
      guard let signed = try await fetch(next) else { return }
      do {
        try accept(signed)
      } catch let error as RepositoryError where error.code == .untrusted && root == nil {
        // A trusted key may have signed a later root document.
        continue
      }
      guard version == next else {
        throw RepositoryError(
          .untrusted, "The server sent root document \(version) instead of \(next).")
      }
    }
  }

  /// The maximum number of root documents to follow in one update.
  private static let maximumSteps = 256

  /// Returns the keys that are trusted to sign channel documents.
  ///
  /// - Throws: ``RepositoryError`` with the code `.expired`, `.notYetValid` or `.invalidDocument`
  ///   if the root document isn't valid at that time.
  package func keys(at now: Date) throws -> [VerificationKey] {
    guard let root else { return pinned }
    try root.times.check(at: now, "Root document \(root.version)")
    return try root.channels.verificationKeys(at: now)
  }

  /// The ids of revoked keys, which may be in other hands.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidKey` if one can't be read.
  package var revokedKeyIDs: Set<String> {
    get throws { Set(try (root?.channels.revoked ?? []).map { try VerificationKey($0).id }) }
  }

  /// Restores a root document that was accepted before and saved in a protected file.
  ///
  /// A document that isn't newer than ``root`` has no effect.
  ///
  /// - Throws: ``RepositoryError`` if the document doesn't have the signatures that it requires
  ///   itself.
  package mutating func restore(_ signed: SignedDocument) throws {
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
