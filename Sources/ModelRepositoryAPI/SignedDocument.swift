// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
public import Foundation

/// The bytes of a document, and signatures of exactly these bytes.
public struct SignedDocument: Sendable, Hashable, Codable {
  /// A signature by one key.
  public struct Signature: Sendable, Hashable, Codable {
    /// What the key is known by: see ``VerificationKey/id``.
    public var keyID: String
    /// 64 bytes, Ed25519.
    public var signature: Data

    enum CodingKeys: String, CodingKey {
      case signature
      case keyID = "key_id"
    }
  }

  /// The document's bytes, which are not to be decoded before they are verified.
  public var document: Data
  /// The signatures.
  public var signatures: [Signature]

  /// Signs a channel's document.
  ///
  /// - Parameters:
  ///   - document: What is to be signed.
  ///   - keys: Those who sign.
  /// - Throws: What an encoder throws.
  public init(_ document: ChannelDocument, by keys: [SigningKey]) throws {
    let bytes = try RepositoryJSON.encode(document)
    self.document = bytes
    signatures = try keys.map { key in
      Signature(keyID: key.verificationKey.id, signature: try key.signature(of: bytes))
    }
  }

  /// A document that nobody signed yet.
  init(unsigned document: Data) {
    self.document = document
    signatures = []
  }

  private static func list(_ ids: [String]) -> String {
    ids.isEmpty ? "no key" : ids.joined(separator: ", ")
  }

  /// The channel's document, if one of the known keys signed it.
  ///
  /// - Parameter keys: The keys that are trusted.
  /// - Returns: A document that is valid in itself; whether it is of the right channel, new enough
  ///   and not expired is the caller's to see.
  /// - Throws: ``RepositoryError`` with the codes `.untrusted` and `.invalidDocument`.
  public func verified(by keys: [VerificationKey]) throws -> ChannelDocument {
    guard !signers(among: keys).isEmpty else {
      throw RepositoryError(
        .untrusted,
        "The channel's document has no valid signature of a key that is trusted: it is signed by "
          + "\(Self.list(signatures.prefix(16).map { String($0.keyID.prefix(64)) })), trusted are "
          + "\(Self.list(keys.map(\.id)))."
      )
    }
    let channel: ChannelDocument
    do {
      channel = try RepositoryJSON.decode(ChannelDocument.self, from: document)
    } catch {
      throw RepositoryError(.invalidDocument, "The channel's document cannot be read: \(error)")
    }
    try channel.validate()
    return channel
  }
}

/// A key that signs documents, Ed25519: a secret.
public struct SigningKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey

  /// Makes a new key.
  public init() { key = Curve25519.Signing.PrivateKey() }

  /// Reads a key.
  ///
  /// - Parameter text: 32 bytes in base 64.
  /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
  public init(_ text: String) throws {
    guard let bytes = Data(base64Encoded: text),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
    else {
      throw RepositoryError(.invalidKey, "A signing key is 32 bytes in base 64.")
    }
    self.key = key
  }

  /// The key in base 64.
  public var text: String { key.rawRepresentation.base64EncodedString() }

  /// What verifies this key's signatures.
  public var verificationKey: VerificationKey { VerificationKey(key.publicKey) }

  func signature(of bytes: Data) throws -> Data { try key.signature(for: bytes) }
}

/// A key that verifies signatures, Ed25519: no secret.
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
        .invalidKey, "A key is 32 bytes in base 64, not '\(text.prefix(60))'.")
    }
    self.init(key)
  }

  /// The key in base 64.
  public var text: String { key.rawRepresentation.base64EncodedString() }

  /// What the key is known by: the first 16 hexadecimal digits of its SHA-256.
  public var id: String { String(BlobDigest(of: key.rawRepresentation).hexadecimal.prefix(16)) }

  func isValid(_ signature: Data, of document: Data) -> Bool {
    key.isValidSignature(signature, for: document)
  }
}

extension VerificationKey: Hashable {
  /// Whether both verify the same signatures.
  public static func == (left: VerificationKey, right: VerificationKey) -> Bool {
    left.key.rawRepresentation == right.key.rawRepresentation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(key.rawRepresentation) }
}
#endif
