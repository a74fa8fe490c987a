// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
extension SignedDocument {
  /// Signs a root document.
  ///
  /// - Parameters:
  ///   - root: The document.
  ///   - keys: The keys that sign; others may sign later: ``sign(by:)``.
  /// - Throws: What an encoder throws.
  public init(_ root: RootDocument, by keys: [SigningKey]) throws {
    self.init(unsigned: try RepositoryJSON.encode(root))
    try sign(by: keys)
  }

  /// Adds signatures to a document; a key signs once.
  ///
  /// - Parameter keys: The keys that sign.
  /// - Throws: What the cryptography throws.
  public mutating func sign(by keys: [SigningKey]) throws {
    for key in keys where signers(among: [key.verificationKey]).isEmpty {
      signatures.removeAll { $0.keyID == key.verificationKey.id }
      signatures.append(
        Signature(keyID: key.verificationKey.id, signature: try key.signature(of: document)))
    }
  }

  /// The keys, each once, with a valid signature.
  ///
  /// - Parameter keys: The keys that may have signed.
  /// - Returns: Those that signed.
  public func signers(among keys: some Sequence<VerificationKey>) -> Set<VerificationKey> {
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

  /// How many signatures are looked at: checking one takes a while.
  static let maximumSignatures = 128

  /// The root document, if it is signed as it asks itself.
  ///
  /// Anybody can make such a document; ``RepositoryTrust`` knows whether to trust it.
  ///
  /// - Throws: ``RepositoryError`` with the codes `.invalidDocument`, `.invalidKey` and `.untrusted`.
  public func selfSignedRoot() throws -> RootDocument {
    guard document.count <= RootDocument.maximumBytes else {
      throw RepositoryError(
        .invalidDocument,
        "The root document has \(document.count) bytes; at most \(RootDocument.maximumBytes) are "
          + "possible.")
    }
    let root: RootDocument
    do {
      root = try RepositoryJSON.decode(RootDocument.self, from: document)
    } catch {
      throw RepositoryError(.invalidDocument, "The root document cannot be read: \(error)")
    }
    try root.validate()
    try require(root.root, "its own", of: root.version)
    return root
  }

  /// Requires as many signatures as a role asks for.
  func require(_ role: RootDocument.RootRole, _ whose: String, of version: Int) throws {
    let count = signers(among: try role.verificationKeys()).count
    guard count >= role.threshold else {
      throw RepositoryError(
        .untrusted,
        "Root document \(version) needs \(role.threshold) signatures by \(whose) root keys and has "
          + "\(count).")
    }
  }
}
#endif
