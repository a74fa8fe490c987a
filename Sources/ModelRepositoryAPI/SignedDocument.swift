// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
public import Foundation

/// A document's bytes with signatures of exactly those bytes.
public struct SignedDocument: Sendable, Hashable, Codable {
  /// The document's bytes.
  ///
  /// Verify them before decoding them.
  public var document: Data
  /// The signatures.
  public var signatures: [Signature]

  /// A signature by one key.
  public struct Signature: Sendable, Hashable, Codable {
    /// The key's id; see ``VerificationKey/id``.
    public var keyID: String
    /// The Ed25519 signature, which has 64 bytes.
    public var signature: Data

    enum CodingKeys: String, CodingKey {
      case signature
      case keyID = "key_id"
    }
  }
}

extension SignedDocument {
  /// Signs a channel document or a root document, which other keys can sign later.
  package init(_ document: some Encodable, by keys: [SigningKey]) throws {
    self.init(document: try RepositoryJSON.encode(document), signatures: [])
    try sign(by: keys)
  }

  /// Adds signatures of keys that haven't signed the document yet.
  package mutating func sign(by keys: [SigningKey]) throws {
    for key in keys where signers(among: [key.verificationKey]).isEmpty {
      signatures.removeAll { $0.keyID == key.verificationKey.id }
      signatures.append(
        Signature(keyID: key.verificationKey.id, signature: try key.signature(of: document)))
    }
  }

  /// Returns those of the given keys that have a valid signature.
  package func signers(among keys: some Sequence<VerificationKey>) -> Set<VerificationKey> {
    let candidates = Dictionary(grouping: Set(keys), by: \.id)
    var signers: Set<VerificationKey> = []
    for signature in signatures.prefix(Self.maximumSignatures) {
      for key in candidates[signature.keyID] ?? []
      where !signers.contains(key) && key.isValid(signature.signature, of: document) {
        signers.insert(key)
      }
    }
    return signers
  }

  /// The maximum number of signatures to check, which limits the time that checking takes.
  private static let maximumSignatures = 128

  /// Decodes the channel document, if one of the trusted keys signed it.
  ///
  /// - Parameter keys: The trusted keys.
  /// - Returns: A valid document. The caller must check that it belongs to the right channel, is
  ///   new enough and hasn't expired.
  /// - Throws: ``RepositoryError`` with the code `.untrusted` or `.invalidDocument`.
  public func verified(by keys: [VerificationKey]) throws -> ChannelDocument {
    func list(_ ids: [String]) -> String { ids.isEmpty ? "no key" : ids.joined(separator: ", ") }
    guard !signers(among: keys).isEmpty else {
      throw RepositoryError(
        .untrusted,
        "The channel's document has no valid signature by a trusted key. It is signed by "
          + "\(list(signatures.prefix(16).map { String($0.keyID.prefix(64)) })), and the "
          + "program trusts \(list(keys.map(\.id)))."
      )
    }
    let channel = try decoded(ChannelDocument.self, "The channel's document")
    try channel.validate()
    return channel
  }

  /// Decodes the root document, if it has the signatures that it requires itself.
  ///
  /// Anyone can make such a document, so use ``RepositoryTrust`` to decide whether to trust it.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidDocument`, `.invalidKey` or `.untrusted`.
  package func selfSignedRoot() throws -> RootDocument {
    guard document.count <= RootDocument.maximumBytes else {
      throw RepositoryError(
        .invalidDocument,
        "The root document has \(document.count) bytes, but at most \(RootDocument.maximumBytes) "
          + "are allowed.")
    }
    let root = try decoded(RootDocument.self, "The root document")
    try root.validate()
    try require(root.root, "its own", of: root.version)
    return root
  }

  func decoded<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    do {
      return try RepositoryJSON.decode(type, from: document)
    } catch {
      throw RepositoryError(.invalidDocument, "\(name) cannot be read: \(error)")
    }
  }

  /// Checks that the document has as many signatures as a role requires.
  func require(_ role: RootDocument.RootRole, _ whose: String, of version: Int) throws {
    let count = signers(among: try role.verificationKeys()).count
    guard count >= role.threshold else {
      throw RepositoryError(
        .untrusted,
        "Root document \(version) needs \(role.threshold) signatures by \(whose) root keys, but it "
          + "has \(count).")
    }
  }
}

/// A private Ed25519 key that signs documents.
public struct SigningKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey

  /// Creates a new key.
  package init() { key = Curve25519.Signing.PrivateKey() }

  /// Reads a key: 32 bytes in base 64.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
  package init(_ text: String) throws {
    guard let bytes = Data(base64Encoded: text),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
    else {
      throw RepositoryError(.invalidKey, "A signing key must be 32 bytes in Base64.")
    }
    self.key = key
  }

  /// The key in base 64.
  package var text: String { key.rawRepresentation.base64EncodedString() }

  /// The public key that verifies this key's signatures.
  public var verificationKey: VerificationKey { VerificationKey(key.publicKey) }

  func signature(of bytes: Data) throws -> Data { try key.signature(for: bytes) }
}

/// A public Ed25519 key that verifies signatures.
public struct VerificationKey: Sendable {
  private let key: Curve25519.Signing.PublicKey

  init(_ key: Curve25519.Signing.PublicKey) { self.key = key }

  /// Reads a key.
  ///
  /// - Parameter text: 32 bytes in base 64.
  /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
  public init(_ text: String) throws {
    guard let bytes = Data(base64Encoded: text),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
    else {
      throw RepositoryError(
        .invalidKey, "A key must be 32 bytes in Base64, not '\(text.prefix(60))'.")
    }
    self.init(key)
  }

  /// The key in base 64.
  public var text: String { key.rawRepresentation.base64EncodedString() }

  /// The key's id, which is the first 16 hexadecimal digits of the key's SHA-256.
  public var id: String { String(BlobDigest(of: key.rawRepresentation).hexadecimal.prefix(16)) }

  func isValid(_ signature: Data, of document: Data) -> Bool {
    key.isValidSignature(signature, for: document)
  }
}

extension VerificationKey: Hashable {
  /// Returns whether both keys are the same.
  public static func == (left: VerificationKey, right: VerificationKey) -> Bool {
    left.key.rawRepresentation == right.key.rawRepresentation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(key.rawRepresentation) }
}

/// The dates on which a signed document was issued and expires, and the limits for them.
///
/// A document that a wrong clock or an attacker dated far ahead would outlive every correction.
/// These limits apply even if the document's signatures are valid.
package struct DocumentTimes: Sendable, Hashable {
  package var issued: Date
  package var expires: Date

  /// The maximum lifetime of a document: 400 days, in seconds.
  package static let maximumLifetime: TimeInterval = 400 * 24 * 3600
  /// The allowed difference between the clocks of a server and a client: an hour, in seconds.
  static let clockTolerance: TimeInterval = 3600

  /// Checks the times against a clock.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - name: The document's name in the message, such as "The document of channel 'stable'".
  /// - Throws: ``RepositoryError`` with the code `.expired`, `.notYetValid` or `.invalidDocument`.
  package func check(at now: Date, _ name: @autoclosure () -> String) throws {
    guard issued <= now + Self.clockTolerance else {
      throw RepositoryError(
        .notYetValid,
        "\(name()) was issued at \(Self.text(issued)), but this computer's clock says "
          + "\(Self.text(now)). Check this computer's clock and the server's. The server signs its "
          + "documents again when its clock is right.")
    }
    guard now < expires else {
      throw RepositoryError(
        .expired,
        "\(name()) expired at \(Self.text(expires)), and this computer's clock says "
          + "\(Self.text(now)). Check this computer's clock, or have the document signed again: the "
          + "server does it for channels, and 'repository keys renew' for the root document.")
    }
    guard expires <= now + Self.maximumLifetime + Self.clockTolerance else {
      throw RepositoryError(
        .invalidDocument,
        "\(name()) expires at \(Self.text(expires)), but clients accept at most 400 days from now, "
          + "\(Self.text(now)). Check this computer's clock and the server's --document-days.")
    }
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
#endif
