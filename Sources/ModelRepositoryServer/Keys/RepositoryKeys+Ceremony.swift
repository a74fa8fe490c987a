// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation
public import ModelRepositoryAPI

extension RepositoryKeys {
  /// Who signs the next root document, and for how long it is good.
  public struct Ceremony: Sendable {
    /// Private keys of the root role; where they are too few, a draft waits for the others.
    public var rootKeys: [SigningKey]
    /// For how many seconds the root document is good.
    public var lifetime: TimeInterval
    /// The clock.
    public var now: Date

    /// Makes a ceremony.
    public init(
      rootKeys: [SigningKey], lifetime: TimeInterval = 365 * 24 * 3600, now: Date = .now
    ) {
      self.rootKeys = rootKeys
      self.lifetime = lifetime
      self.now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    }
  }

  /// What became of the next root document.
  public enum Outcome: Sendable {
    /// It is in force.
    case published(RootDocument)
    /// It is in a file, and needs further signatures: ``RepositoryKeys/sign(_:by:)``.
    case draft(RootDocument, path: String)
  }

  // MARK: - Changes

  /// Brings in the first root document: the keys that sign today are named by it.
  ///
  /// Clients that trust one of today's keys follow it from then on.
  ///
  /// - Parameters:
  ///   - role: The root keys, which are kept offline.
  ///   - ceremony: Who signs.
  /// - Returns: What became of the document.
  /// - Throws: `RepositoryError` where there is one already, and where no key signs today.
  public func makeRoot(_ role: RootDocument.RootRole, _ ceremony: Ceremony) throws -> Outcome {
    guard try root() == nil else {
      throw RepositoryError(
        .invalidOption,
        "This repository has a root document already. Replace its root keys with: "
          + "tensorio repository keys rotate --root FILE --root-key FILE")
    }
    let keys = try SigningKeys.load(folder.keys).map(\.key)
    guard !keys.isEmpty else {
      throw RepositoryError(
        .missingKeys,
        "'\(folder.keys)' has no key. Clients accept the first root document because a key that "
          + "they trust signed it: put that key back first.")
    }
    let first = RootDocument(
      version: 1, issued: ceremony.now, expires: ceremony.now + ceremony.lifetime, root: role,
      channels: RootDocument.ChannelRole(
        keys: keys.map { RootDocument.ChannelKey($0.verificationKey) }))
    // The keys that clients know introduce the ones that they do not know yet.
    return try finish(SignedDocument(first, by: ceremony.rootKeys + keys))
  }

  /// Adds a key that signs channels' documents, beside the others.
  ///
  /// - Parameters:
  ///   - name: The file `keys/NAME.key`.
  ///   - expires: The date after which its signatures count for nothing; nil leaves it to the root.
  ///   - ceremony: Who signs.
  /// - Returns: What became of the document.
  /// - Throws: `RepositoryError` where there is a key of that name.
  public func addKey(
    _ name: RepositoryName, expires: Date? = nil, _ ceremony: Ceremony
  ) throws -> Outcome {
    try change(ceremony) { root in
      let key = try SigningKeys.make(name.text, in: folder.keys)
      root.channels.keys.append(RootDocument.ChannelKey(key.verificationKey, expires: expires))
    }
  }

  /// Replaces all keys that sign channels' documents by a new one.
  ///
  /// - Parameters:
  ///   - name: The file `keys/NAME.key` of the new key.
  ///   - expires: The date after which its signatures count for nothing; nil leaves it to the root.
  ///   - isStolen: Whether somebody else may have the old ones. Clients then delete versions that
  ///     only they vouched for.
  ///   - ceremony: Who signs.
  /// - Returns: What became of the document.
  /// - Throws: `RepositoryError` where there is a key of that name.
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
  ///   - role: The new keys.
  ///   - ceremony: Who signs: as many of the old keys, and of the new ones, as they ask for.
  /// - Returns: What became of the document.
  /// - Throws: `RepositoryError` where there is no root document yet.
  public func rotateRoot(
    to role: RootDocument.RootRole, _ ceremony: Ceremony
  ) throws -> Outcome {
    try change(ceremony) { $0.root = role }
  }

  /// Signs the root document for a further time.
  public func renew(_ ceremony: Ceremony) throws -> Outcome { try change(ceremony) { _ in } }

  /// Lets a key that signs channels' documents sign no more.
  ///
  /// - Parameters:
  ///   - key: The name of its file, its id, or the key itself.
  ///   - isStolen: Whether somebody else may have it.
  ///   - ceremony: Who signs; nil for a repository without a root document.
  /// - Returns: nil for a repository without a root document.
  /// - Throws: `RepositoryError` for the last key, and for one that is not there.
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
      "This repository has a root document, which only its root keys change. Add --root-key FILE.")
  }

  // MARK: - Signing

  /// Makes the next root document of the newest.
  private func change(
    _ ceremony: Ceremony, _ change: (inout RootDocument) throws -> Void
  ) throws -> Outcome {
    guard var root = try root() else {
      throw RepositoryError(
        .invalidOption,
        "This repository has no root document, so that clients could not learn of another key. Make "
          + "one first: tensorio repository keys create --root FILE --data '\(folder.path)'")
    }
    guard !ceremony.rootKeys.isEmpty else { throw Self.noRootKeys }
    let known = try root.root.verificationKeys()
    root.version += 1
    root.issued = ceremony.now
    root.expires = ceremony.now + ceremony.lifetime
    // Before anything is written: a wrong file is the likeliest mistake.
    guard ceremony.rootKeys.contains(where: { known.contains($0.verificationKey) }) else {
      throw RepositoryError(
        .untrusted,
        "None of these keys is a root key of this repository. Its root keys are "
          + "\(known.map(\.id).joined(separator: ", ")).")
    }
    try change(&root)
    return try finish(SignedDocument(root, by: ceremony.rootKeys))
  }

  /// Adds signatures to a draft, and brings it in force when they are enough.
  ///
  /// - Parameters:
  ///   - path: The file that ``Outcome/draft(_:path:)`` named.
  ///   - keys: The keys that sign.
  /// - Returns: What became of the document.
  /// - Throws: `RepositoryError` for a file that is not a draft, and for one that does not follow the
  ///   newest root document.
  public func sign(_ path: String, by keys: [SigningKey]) throws -> Outcome {
    var signed = try Self.readDraft(path).signed
    try signed.sign(by: keys)
    let outcome = try finish(signed)
    if case .published = outcome { try FileSystem.remove(path) }
    return outcome
  }

  /// Adds signatures to a draft on a computer that does not have the data folder.
  ///
  /// - Throws: `RepositoryError` for a file that is not a draft.
  public static func signDraft(_ path: String, by keys: [SigningKey]) throws -> RootDocument {
    var (signed, root) = try readDraft(path)
    try signed.sign(by: keys)
    try RootFolder.write(RepositoryJSON.encode(signed), to: path)
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

  /// Publishes a root document with enough signatures; keeps any other as a draft.
  private func finish(_ signed: SignedDocument) throws -> Outcome {
    let root = try RepositoryJSON.decode(RootDocument.self, from: signed.document)
    try root.validate()
    guard root.expires <= root.issued + DocumentTimes.maximumLifetime else {
      throw RepositoryError(
        .invalidOption, "A root document is good for at most 400 days; clients refuse it otherwise."
      )
    }
    let path = "\(folder.roots)/\(root.version).json"
    do {
      if var trust = try RootFolder.load(folder.roots).trust {
        try trust.accept(signed)
      } else {
        _ = try signed.selfSignedRoot()
      }
    } catch let error as RepositoryError where error.code == .untrusted {
      let draft = "\(folder.roots)/\(root.version).draft"
      try RootFolder.write(RepositoryJSON.encode(signed), to: draft)
      return .draft(root, path: draft)
    }
    let named = Set(root.channels.keys.map(\.key))
    guard
      try SigningKeys.load(folder.keys).contains(where: {
        named.contains($0.key.verificationKey.text)
      })
    else {
      throw RepositoryError(
        .missingKeys,
        "Root document \(root.version) names no key that is in '\(folder.keys)', so that the server "
          + "could not sign. It was not published. Put the key file there first.")
    }
    try RootFolder.write(RepositoryJSON.encode(signed), to: path)
    try retireUnnamed(root)
    return .published(root)
  }

  /// Takes keys out of use that the root document does not name.
  private func retireUnnamed(_ root: RootDocument) throws {
    let named = Set(root.channels.keys.map(\.key))
    for file in try SigningKeys.load(folder.keys)
    where !named.contains(file.key.verificationKey.text) {
      try SigningKeys.retire(file.name, in: folder.keys)
    }
  }
}
#endif
