// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation
public import ModelRepositoryAPI

extension RepositoryKeys {
  /// The keys that sign the next root document, and how long it is valid.
  public struct Ceremony: Sendable {
    /// Private root keys; if there are too few, the document is saved as a draft for the others.
    public var rootKeys: [SigningKey]
    /// The number of seconds for which the root document is valid.
    public var lifetime: TimeInterval
    /// The current time.
    public var now: Date

    /// Creates a ceremony.
    public init(
      rootKeys: [SigningKey], lifetime: TimeInterval = 365 * 24 * 3600, now: Date = .now
    ) {
      self.rootKeys = rootKeys
      self.lifetime = lifetime
      self.now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    }
  }

  /// The result of making the next root document.
  public enum Outcome: Sendable {
    /// The document is published.
    case published(RootDocument)
    /// The document is in a file and needs more signatures: ``RepositoryKeys/sign(_:by:)``.
    case draft(RootDocument, path: String)
  }

  // MARK: - Changes

  /// Creates the first root document, which names the current signing keys.
  ///
  /// From then on, clients that trust one of the current keys follow the root document.
  ///
  /// - Parameters:
  ///   - role: The root keys, which are kept offline.
  ///   - ceremony: The keys that sign the document, and its lifetime.
  /// - Returns: The published document or the draft.
  /// - Throws: `RepositoryError` if a root document already exists, or if there is no signing key.
  public func makeRoot(_ role: RootDocument.RootRole, _ ceremony: Ceremony) throws -> Outcome {
    try requireNoDraft()
    guard try root() == nil else {
      throw RepositoryError(
        .invalidOption,
        "This repository already has a root document. Replace its root keys with: tensorio "
          + "repository keys rotate --root FILE --root-key FILE")
    }
    let keys = try SigningKeys.load(folder.keys).map(\.key)
    guard !keys.isEmpty else {
      throw RepositoryError(
        .missingKeys,
        "'\(folder.keys)' contains no key. Clients accept the first root document only if a key "
          + "that they trust signed it. Put that key back first.")
    }
    let first = RootDocument(
      version: 1, issued: ceremony.now, expires: ceremony.now + ceremony.lifetime, root: role,
      channels: RootDocument.ChannelRole(
        keys: keys.map { RootDocument.ChannelKey($0.verificationKey) }))
    // The keys that clients know sign the document that introduces the new ones.
    return try finish(SignedDocument(first, by: ceremony.rootKeys + keys))
  }

  /// Adds another key that signs channel documents.
  ///
  /// - Parameters:
  ///   - name: The name of the file `keys/NAME.key`.
  ///   - expires: The date after which clients ignore the key's signatures. If this is nil, only
  ///     the root document's expiration applies.
  ///   - ceremony: The keys that sign the document, and its lifetime.
  /// - Returns: The published document or the draft.
  /// - Throws: `RepositoryError` if a key of that name exists.
  public func addKey(
    _ name: RepositoryName, expires: Date? = nil, _ ceremony: Ceremony
  ) throws -> Outcome {
    try change(ceremony) { root in
      let key = try SigningKeys.make(name.text, in: folder.keys)
      root.channels.keys.append(RootDocument.ChannelKey(key.verificationKey, expires: expires))
    }
  }

  /// Replaces all keys that sign channel documents with a new one.
  ///
  /// - Parameters:
  ///   - name: The name of the file `keys/NAME.key` for the new key.
  ///   - expires: The date after which clients ignore the key's signatures. If this is nil, only
  ///     the root document's expiration applies.
  ///   - isStolen: Whether somebody else may have the old keys. If so, clients delete the versions
  ///     that only these keys signed.
  ///   - ceremony: The keys that sign the document, and its lifetime.
  /// - Returns: The published document or the draft.
  /// - Throws: `RepositoryError` if a key of that name exists.
  public func rotate(
    to name: RepositoryName, expires: Date? = nil, isStolen: Bool, _ ceremony: Ceremony
  ) throws -> Outcome {
    try change(ceremony) { root in
      let key = try SigningKeys.make(name.text, in: folder.keys)
      if isStolen { root.channels.revoked += root.channels.keys.map(\.key) }
      root.channels.keys = [RootDocument.ChannelKey(key.verificationKey, expires: expires)]
    }
  }

  /// Replaces the root keys.
  ///
  /// - Parameters:
  ///   - role: The new root keys.
  ///   - ceremony: The keys that sign the document, and its lifetime. The document needs enough
  ///     signatures of the old root keys and of the new ones.
  /// - Returns: The published document or the draft.
  /// - Throws: `RepositoryError` if there is no root document yet.
  public func rotateRoot(
    to role: RootDocument.RootRole, _ ceremony: Ceremony
  ) throws -> Outcome {
    try change(ceremony) { $0.root = role }
  }

  /// Signs the root document again to extend its lifetime.
  public func renew(_ ceremony: Ceremony) throws -> Outcome { try change(ceremony) { _ in } }

  /// Stops a key from signing channel documents.
  ///
  /// - Parameters:
  ///   - key: The name of the key's file, the key's id, or the public key itself.
  ///   - isStolen: Whether somebody else may have the key.
  ///   - ceremony: The keys that sign the root document; nil for a repository without one.
  /// - Returns: The published document or the draft; nil for a repository without a root document.
  /// - Throws: `RepositoryError` if the key doesn't exist, or if it is the last one.
  public func retire(
    _ key: String, isStolen: Bool, _ ceremony: Ceremony?
  ) throws -> Outcome? {
    let records = try Self.list(folder.path, at: ceremony?.now ?? .now)
    let found = records.filter {
      $0.role == .channels && [$0.name, $0.id, $0.key].contains(key)
    }
    guard let record = found.first else {
      throw RepositoryError(
        .invalidOption, "There is no key '\(key)'. See: tensorio repository keys list")
    }
    let others = records.filter { $0.state == .signing && $0.id != record.id }
    guard !others.isEmpty else {
      throw RepositoryError(
        .invalidOption,
        "'\(key)' is the only key that signs. Replace it with: tensorio repository keys rotate")
    }
    guard try root() != nil else {
      if let name = record.name { try SigningKeys.retire(name, in: folder.keys) }
      return nil
    }
    guard let ceremony else { throw Self.noRootKeys }
    return try change(ceremony) { root in
      root.channels.keys.removeAll { $0.key == record.key }
      if isStolen, !root.channels.revoked.contains(record.key) {
        root.channels.revoked.append(record.key)
      }
    }
  }

  static var noRootKeys: RepositoryError {
    RepositoryError(
      .invalidOption,
      "This repository has a root document, which only its root keys can change. Add --root-key "
        + "FILE.")
  }

  // MARK: - Signing

  /// Checks that no draft of the next root document waits for signatures.
  ///
  /// Another draft would replace it, for example one that revokes a stolen key.
  ///
  /// - Throws: `RepositoryError` that names the draft.
  package func requireNoDraft() throws {
    let path = draft(of: (try root()?.version ?? 0) + 1)
    if try FileSystem.exists(path) { throw Self.isPending(path) }
  }

  private func draft(of version: Int) -> String { "\(folder.roots)/\(version).draft" }

  private static func isPending(_ path: String) -> RepositoryError {
    RepositoryError(
      .invalidOption,
      "The draft '\(path)' still needs signatures, so another root document can't be made. Sign it "
        + "with: tensorio repository keys sign '\(path)' --root-key FILE --data FOLDER. To discard "
        + "it, delete the file.")
  }

  /// Makes the next root document from the newest one.
  private func change(
    _ ceremony: Ceremony, _ change: (inout RootDocument) throws -> Void
  ) throws -> Outcome {
    guard var root = try root() else {
      throw RepositoryError(
        .invalidOption,
        "This repository has no root document, so clients could not learn about another key. "
          + "Create a root document first: tensorio repository keys create --root FILE --data "
          + "'\(folder.path)'")
    }
    guard !ceremony.rootKeys.isEmpty else { throw Self.noRootKeys }
    try requireNoDraft()
    let known = try root.root.verificationKeys()
    root.version += 1
    root.issued = ceremony.now
    root.expires = ceremony.now + ceremony.lifetime
    // This is checked before anything is written, because a wrong file is the most likely mistake.
    guard ceremony.rootKeys.contains(where: { known.contains($0.verificationKey) }) else {
      throw RepositoryError(
        .untrusted,
        "None of these keys is a root key of this repository. Its root keys are "
          + "\(known.map(\.id).joined(separator: ", ")).")
    }
    try change(&root)
    return try finish(SignedDocument(root, by: ceremony.rootKeys))
  }

  /// Adds signatures to a draft, and publishes it if it has enough of them.
  ///
  /// - Parameters:
  ///   - path: The file from ``Outcome/draft(_:path:)``.
  ///   - keys: The keys that sign.
  /// - Returns: The published document or the draft.
  /// - Throws: `RepositoryError` if the file isn't a draft, or if it doesn't follow the newest root
  ///   document.
  public func sign(_ path: String, by keys: [SigningKey]) throws -> Outcome {
    var signed = try Self.readDraft(path).signed
    try signed.sign(by: keys)
    let outcome = try finish(signed)
    if case .published = outcome { try FileSystem.remove(path) }
    return outcome
  }

  /// Adds signatures to a draft on a computer that doesn't have the data folder.
  ///
  /// - Throws: `RepositoryError` if the file isn't a draft.
  public static func signDraft(_ path: String, by keys: [SigningKey]) throws -> RootDocument {
    var (signed, root) = try readDraft(path)
    try signed.sign(by: keys)
    try FileSystem.write(RepositoryJSON.encode(signed), to: path)
    return root
  }

  private static func readDraft(
    _ path: String
  ) throws -> (signed: SignedDocument, root: RootDocument) {
    guard try FileSystem.size(of: path) ?? 0 <= 2 * RootDocument.maximumBytes,
      let data = FileManager.default.contents(atPath: path)
    else { throw RepositoryError(.storage, "The draft '\(path)' cannot be read.") }
    do {
      let signed = try RepositoryJSON.decode(SignedDocument.self, from: data)
      let root = try RepositoryJSON.decode(RootDocument.self, from: signed.document)
      try root.validate()
      return (signed, root)
    } catch {
      throw RepositoryError(
        .invalidDocument, "'\(path)' is not a draft of a root document: \(error)")
    }
  }

  /// Publishes a root document that has enough signatures, and saves any other as a draft.
  ///
  /// The signatures of a draft of the same document are added.
  private func finish(_ signed: SignedDocument) throws -> Outcome {
    var signed = signed
    let root = try RepositoryJSON.decode(RootDocument.self, from: signed.document)
    try root.validate()
    guard root.expires <= root.issued + DocumentTimes.maximumLifetime else {
      throw RepositoryError(
        .invalidOption,
        "A root document can be valid for at most 400 days. Clients reject it otherwise."
      )
    }
    let path = "\(folder.roots)/\(root.version).json"
    let draft = draft(of: root.version)
    if try FileSystem.exists(draft) {
      let pending = try Self.readDraft(draft).signed
      guard pending.document == signed.document else { throw Self.isPending(draft) }
      signed.signatures += pending.signatures.filter { !signed.signatures.contains($0) }
    }
    do {
      if var trust = try RootFolder.load(folder.roots).trust {
        try trust.accept(signed)
      } else {
        _ = try signed.selfSignedRoot()
      }
    } catch let error as RepositoryError where error.code == .untrusted {
      try FileSystem.write(RepositoryJSON.encode(signed), to: draft)
      return .draft(root, path: draft)
    }
    let named = Set(root.channels.keys.map(\.key))
    let files = try SigningKeys.load(folder.keys)
    let unnamed = files.filter { !named.contains($0.key.verificationKey.text) }
    guard unnamed.count < files.count else {
      throw RepositoryError(
        .missingKeys,
        "Root document \(root.version) names none of the keys in '\(folder.keys)', so the server "
          + "could not sign. The document was not published. Put the key file there first.")
    }
    try FileSystem.write(RepositoryJSON.encode(signed), to: path)
    for file in unnamed { try SigningKeys.retire(file.name, in: folder.keys) }
    try FileSystem.remove(draft)
    return .published(root)
  }
}
#endif
