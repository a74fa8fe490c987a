// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation
public import ModelRepositoryAPI

/// The signing keys and root documents of a data folder, which a server may use meanwhile.
///
/// A running server notices a change within a second, and signs its documents again.
///
/// ```swift
/// let keys = try RepositoryKeys(dataFolder: "data")
/// let root = try RepositoryKeys.readKey("/media/usb/root.key")
/// try keys.rotate(to: name, isStolen: true, RepositoryKeys.Ceremony(rootKeys: [root]))
/// ```
///
/// Every change is complete when the file of the next root document has its name. An end of the
/// process before that changes nothing for clients; after it, the server does the rest.
public struct RepositoryKeys: Sendable {
  let folder: DataFolder
  private let lock: FolderLock

  /// Opens a data folder.
  ///
  /// - Parameter dataFolder: The folder of a repository.
  /// - Throws: `RepositoryError` with the code `.storage`, and `.locked` where another process
  ///   changes keys.
  public init(dataFolder: String) throws {
    folder = DataFolder(path: dataFolder)
    guard try FileSystem.size(of: folder.database) != nil else {
      throw RepositoryError(.storage, "'\(dataFolder)' is not the folder of a repository.")
    }
    for path in [folder.keys, folder.roots] { try FileSystem.makeFolder(path) }
    lock = try FolderLock(folder.roots)
  }

  // MARK: - Files of keys

  /// Reads a private key, which only its owner may be able to read.
  ///
  /// - Throws: `RepositoryError` with the codes `.storage`, `.invalidKey` and `.exposedKey`.
  public static func readKey(_ path: String) throws -> SigningKey { try SigningKeys.read(path) }

  /// Makes a private key in a new file that only its owner can read.
  ///
  /// - Throws: `RepositoryError` where there is a file of that name.
  public static func makeKey(at path: String) throws -> SigningKey {
    try SigningKeys.make(at: path)
  }

  /// Makes a key that signs channels' documents from now on, beside the others.
  ///
  /// - Parameter name: The file `keys/NAME.key` of the data folder.
  /// - Returns: What clients are to know.
  /// - Throws: `RepositoryError` where there is one of that name, and where a root document has to
  ///   name the key: ``addKey(_:expires:_:)``.
  public func makeKey(_ name: RepositoryName) throws -> VerificationKey {
    guard try root() == nil else {
      throw RepositoryError(
        .invalidOption,
        "This repository has a root document, which has to name a new key. Add --root-key FILE.")
    }
    return try SigningKeys.make(name.text, in: folder.keys).verificationKey
  }

  // MARK: - What is there

  /// The newest root document; nil where there is none.
  ///
  /// - Throws: `RepositoryError` for one that is damaged.
  public func root() throws -> RootDocument? { try Self.root(folder.path) }

  /// The newest root document of a data folder; nil where there is none.
  ///
  /// - Throws: `RepositoryError` for one that is damaged.
  public static func root(_ dataFolder: String) throws -> RootDocument? {
    try RootFolder.load(DataFolder(path: dataFolder).roots).trust?.root
  }

  /// A name that no key has or had.
  ///
  /// - Throws: `RepositoryError` where the folder cannot be listed.
  public func freeName() throws -> RepositoryName {
    let names = try FileSystem.names(in: folder.keys)
    for number in 2... where !names.contains(where: { $0.hasPrefix("signing-\(number).") }) {
      if let name = RepositoryName("signing-\(number)") { return name }
    }
    throw RepositoryError(.invalidOption, "There are too many keys. Name the new one with --name.")
  }

  /// The keys of the folder and of its root document.
  ///
  /// - Parameters:
  ///   - dataFolder: The folder.
  ///   - now: The time.
  /// - Returns: The root keys first.
  /// - Throws: `RepositoryError` for keys and root documents that cannot be used.
  public static func list(_ dataFolder: String, at now: Date = .now) throws -> [KeyRecord] {
    let folder = DataFolder(path: dataFolder)
    let root = try RootFolder.load(folder.roots).trust?.root
    let files = try SigningKeys.load(folder.keys)
    var records = try (root?.root.verificationKeys() ?? []).map {
      KeyRecord($0, role: .root, state: .trusted)
    }
    for key in root?.channels.keys ?? [] {
      let verificationKey = try VerificationKey(key.key)
      var record = KeyRecord(verificationKey, role: .channels, state: .missing)
      record.name = files.first { $0.key.verificationKey == verificationKey }?.name
      record.expires = key.expires
      if let expires = key.expires, expires <= now {
        record.state = .expired
      } else if record.name != nil {
        record.state = .signing
      }
      records.append(record)
    }
    for file in files where !records.contains(where: { $0.key == file.key.verificationKey.text }) {
      var record = KeyRecord(
        file.key.verificationKey, role: .channels, state: root == nil ? .signing : .unnamed)
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
