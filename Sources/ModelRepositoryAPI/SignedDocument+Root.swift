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
  ///   - keys: The signing keys. Other keys can sign later with ``sign(by:)``.
  /// - Throws: The encoder's errors and signing errors.
  public init(_ root: RootDocument, by keys: [SigningKey]) throws {
    self.init(unsigned: try RepositoryJSON.encode(root))
    try sign(by: keys)
  }

  /// Adds signatures of keys that haven't signed the document yet.
  ///
  /// - Parameter keys: The signing keys.
  /// - Throws: Signing errors.
  public mutating func sign(by keys: [SigningKey]) throws {
    for key in keys where signers(among: [key.verificationKey]).isEmpty {
      signatures.removeAll { $0.keyID == key.verificationKey.id }
      signatures.append(
        Signature(keyID: key.verificationKey.id, signature: try key.signature(of: document)))
    }
  }

  /// Returns the keys that have a valid signature.
  ///
  /// - Parameter keys: The keys that may have signed.
  /// - Returns: The keys that signed.
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

  /// The maximum number of signatures to check, which limits the time that checking takes.
  static let maximumSignatures = 128

  /// Decodes the root document, if it has the signatures that it requires itself.
  ///
  /// Anyone can make such a document, so use ``RepositoryTrust`` to decide whether to trust it.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidDocument`, `.invalidKey` or `.untrusted`.
  public func selfSignedRoot() throws -> RootDocument {
    guard document.count <= RootDocument.maximumBytes else {
      throw RepositoryError(
        .invalidDocument,
        "The root document has \(document.count) bytes, but at most \(RootDocument.maximumBytes) "
          + "are allowed.")
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
#endif
