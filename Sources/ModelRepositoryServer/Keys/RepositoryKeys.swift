// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation
public import ModelRepositoryAPI

/// The signing keys and root documents of a data folder that a server may be using.
///
/// A running server notices a change within a second and signs its documents again.
///
/// ```swift
/// let keys = try RepositoryKeys(dataFolder: "data")
/// let root = try RepositoryKeys.readKey("/media/usb/root.key")
/// try keys.rotate(to: name, isStolen: true, RepositoryKeys.Ceremony(rootKeys: [root]))
/// ```
///
/// A change takes effect when the file of the next root document gets its final name. If the
/// process ends before that, nothing changes for clients. If it ends afterwards, the server
/// completes the change.
public struct RepositoryKeys: Sendable {
  let folder: DataFolder
  private let lock: FolderLock

  /// Opens a data folder.
  ///
  /// - Parameter dataFolder: The folder of a repository.
  /// - Throws: `RepositoryError` with the code `.storage`, or with `.locked` if another process is
  ///   changing keys.
  public init(dataFolder: String) throws {
    folder = DataFolder(path: dataFolder)
    guard try FileSystem.size(of: folder.database) != nil else {
      throw RepositoryError(.storage, "'\(dataFolder)' isn't a repository's folder.")
    }
    for path in [folder.keys, folder.roots] { try FileSystem.makeFolder(path) }
    lock = try FolderLock(folder.roots)
  }

  // MARK: - Files of keys

  /// Reads a private key; no other user may have access to its file.
  ///
  /// - Throws: `RepositoryError` with the code `.storage`, `.invalidKey` or `.exposedKey`.
  public static func readKey(_ path: String) throws -> SigningKey { try SigningKeys.read(path) }

  /// Creates a private key in a new file that only its owner can read.
  ///
  /// - Throws: `RepositoryError` if a file of that name exists.
  public static func makeKey(at path: String) throws -> SigningKey {
    try SigningKeys.make(at: path)
  }

  /// Creates an additional key that signs channel documents from now on.
  ///
  /// - Parameter name: The name of the file `keys/NAME.key` in the data folder.
  /// - Returns: The public key that clients need.
  /// - Throws: `RepositoryError` if a key of that name exists, or if a root document has to name
  ///   the key. In that case, use ``addKey(_:expires:_:)``.
  public func makeKey(_ name: RepositoryName) throws -> VerificationKey {
    guard try root() == nil else {
      throw RepositoryError(
        .invalidOption,
        "This repository has a root document, which must name each new key. Add --root-key FILE.")
    }
    return try SigningKeys.make(name.text, in: folder.keys).verificationKey
  }

  // MARK: - Queries

  /// Returns the newest root document; nil if there is none.
  ///
  /// - Throws: `RepositoryError` if a document is damaged.
  public func root() throws -> RootDocument? { try Self.root(folder.path) }

  /// Returns the newest root document of a data folder; nil if there is none.
  ///
  /// - Throws: `RepositoryError` if a document is damaged.
  public static func root(_ dataFolder: String) throws -> RootDocument? {
    try RootFolder.load(DataFolder(path: dataFolder).roots).trust?.root
  }

  /// Returns a name that no key has or had.
  ///
  /// - Throws: `RepositoryError` if the folder can't be listed.
  public func freeName() throws -> RepositoryName {
    let names = try FileSystem.names(in: folder.keys)
    for number in 2... where !names.contains(where: { $0.hasPrefix("signing-\(number).") }) {
      if let name = RepositoryName("signing-\(number)") { return name }
    }
    throw RepositoryError(
      .invalidOption,
      "There are too many keys to choose a name for the new one. Set its name with --name.")
  }

  /// Lists the keys of the folder and of its root document.
  ///
  /// - Parameters:
  ///   - dataFolder: The folder.
  ///   - now: The current time.
  /// - Returns: The keys, with the root keys first.
  /// - Throws: `RepositoryError` if a key or a root document can't be used.
  public static func list(_ dataFolder: String, at now: Date = .now) throws -> [KeyRecord] {
    let root = try root(dataFolder)
    let files = try SigningKeys.load(DataFolder(path: dataFolder).keys)
    return try records(root, files.map { (name: $0.name, key: $0.key.verificationKey) }, at: now)
  }

  /// Returns the keys that a root document names, and those that sign.
  ///
  /// - Parameters:
  ///   - root: The root document; nil if there is none.
  ///   - signing: The keys that can sign, with the names of their files if these are known.
  ///   - now: The time at which keys count as expired.
  /// - Returns: The keys, with the root keys first.
  /// - Throws: `RepositoryError` if the root document has an invalid key.
  package static func records(
    _ root: RootDocument?, _ signing: [(name: String?, key: VerificationKey)], at now: Date
  ) throws -> [KeyRecord] {
    var records = try (root?.root.verificationKeys() ?? []).map {
      KeyRecord($0, role: .root, state: .trusted)
    }
    for key in root?.channels.keys ?? [] {
      let verificationKey = try VerificationKey(key.key)
      var record = KeyRecord(verificationKey, role: .channels, state: .missing)
      let file = signing.first { $0.key == verificationKey }
      record.name = file?.name
      record.expires = key.expires
      if let expires = key.expires, expires <= now {
        record.state = .expired
      } else if file != nil {
        record.state = .signing
      }
      records.append(record)
    }
    for file in signing where !records.contains(where: { $0.key == file.key.text }) {
      var record = KeyRecord(file.key, role: .channels, state: root == nil ? .signing : .unnamed)
      record.name = file.name
      records.append(record)
    }
    for key in root?.channels.revoked ?? [] {
      records.append(KeyRecord(try VerificationKey(key), role: .channels, state: .revoked))
    }
    return records
  }
}
#endif
