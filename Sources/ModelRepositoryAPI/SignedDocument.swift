// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
public import Foundation

/// A document's bytes with signatures of exactly those bytes.
public struct SignedDocument: Sendable, Hashable, Codable {
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

  /// The document's bytes.
  ///
  /// Verify them before decoding them.
  public var document: Data
  /// The signatures.
  public var signatures: [Signature]

  /// Signs a channel document.
  ///
  /// - Parameters:
  ///   - document: The document to sign.
  ///   - keys: The signing keys.
  /// - Throws: The encoder's errors and signing errors.
  public init(_ document: ChannelDocument, by keys: [SigningKey]) throws {
    let bytes = try RepositoryJSON.encode(document)
    self.document = bytes
    signatures = try keys.map { key in
      Signature(keyID: key.verificationKey.id, signature: try key.signature(of: bytes))
    }
  }

  /// Creates a document without signatures.
  init(unsigned document: Data) {
    self.document = document
    signatures = []
  }

  private static func list(_ ids: [String]) -> String {
    ids.isEmpty ? "no key" : ids.joined(separator: ", ")
  }

  /// Decodes the channel document, if one of the trusted keys signed it.
  ///
  /// - Parameter keys: The trusted keys.
  /// - Returns: A valid document. The caller must check that it belongs to the right channel, is
  ///   new enough and hasn't expired.
  /// - Throws: ``RepositoryError`` with the code `.untrusted` or `.invalidDocument`.
  public func verified(by keys: [VerificationKey]) throws -> ChannelDocument {
    guard !signers(among: keys).isEmpty else {
      throw RepositoryError(
        .untrusted,
        "The channel's document has no valid signature by a trusted key. It is signed by "
          + "\(Self.list(signatures.prefix(16).map { String($0.keyID.prefix(64)) })), and the "
          + "program trusts \(Self.list(keys.map(\.id)))."
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

/// A private Ed25519 key that signs documents.
public struct SigningKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey

  /// Creates a new key.
  public init() { key = Curve25519.Signing.PrivateKey() }

  /// Reads a key.
  ///
  /// - Parameter text: 32 bytes in base 64.
  /// - Throws: ``RepositoryError`` with the code `.invalidKey`.
  public init(_ text: String) throws {
    guard let bytes = Data(base64Encoded: text),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
    else {
      throw RepositoryError(.invalidKey, "A signing key must be 32 bytes in Base64.")
    }
    self.key = key
  }

  /// The key in base 64.
  public var text: String { key.rawRepresentation.base64EncodedString() }

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
#endif
