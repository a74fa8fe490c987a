// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI

/// The keys that sign channel documents, and the root documents that name them.
struct SigningState: Sendable {
  /// The keys that sign; empty if there is a ``fault``.
  private(set) var keys: [SigningKey] = []
  var roots = RootFolder()
  /// The reason why nothing can be signed; nil if documents can be signed.
  var fault: RepositoryError?

  var root: RootDocument? { roots.trust?.root }

  /// The keys and root version that a document's row records; a document is renewed when it
  /// changes.
  private(set) var label = ""

  private mutating func sign(with keys: [SigningKey]) {
    self.keys = keys
    let ids = keys.map(\.verificationKey.id).sorted()
    label = (ids + (root.map { ["root:\($0.version)"] } ?? [])).joined(separator: " ")
  }

  /// Reads the keys and the root documents of a data folder.
  ///
  /// `signers` are the ids of the keys that signed each channel's newest document. If there are
  /// none, `isMade` tells whether to create the first key. If the right keys are missing, nothing
  /// is thrown and ``fault`` has the reason.
  static func load(
    _ folder: DataFolder, signers: [Set<String>], orMake isMade: Bool, now: Date
  ) throws -> SigningState {
    var state = SigningState()
    state.roots = try RootFolder.load(folder.roots)
    var files = try SigningKeys.load(folder.keys)
    if files.isEmpty, isMade, signers.isEmpty, state.root == nil {
      let key = try SigningKeys.make(SigningKeys.firstName, in: folder.keys)
      files = [(SigningKeys.firstName, key)]
    }
    let keys = files.map(\.key)
    if let root = state.root {
      let named = try root.channels.verificationKeys(at: now)
      state.sign(with: keys.filter { named.contains($0.verificationKey) })
      if state.keys.isEmpty {
        state.fault = RepositoryError(
          .missingKeys,
          "Root document \(root.version) allows the keys "
            + "\(named.map(\.id).joined(separator: ", ")) to sign, but none of them is in "
            + "'\(folder.keys)'. Put the key file back (chmod 600). If it is lost, create a new "
            + "key that the root document names: tensorio repository keys rotate --data "
            + "'\(folder.path)' --root-key FILE")
      }
      return state
    }
    let present = Set(keys.map(\.verificationKey.id))
    if !signers.isEmpty, signers.allSatisfy({ $0.isDisjoint(with: present) }) {
      let wanted = signers.reduce(into: Set()) { $0.formUnion($1) }.sorted()
      state.fault = RepositoryError(
        .missingKeys,
        "The keys \(wanted.joined(separator: ", ")) signed the channel documents in "
          + "'\(folder.path)', but '\(folder.keys)' contains "
          + "\(present.isEmpty ? "no key" : "only other keys"). Clients would reject documents "
          + "that another key signs. Put the key file back (chmod 600). Backups don't contain it. "
          + "If it is lost, clients need a new program with a new key: create one with 'tensorio "
          + "repository keys create NAME --data \(folder.path) --lost'.")
      return state
    }
    state.sign(with: keys)
    return state
  }

  /// Returns the ids of the keys that signed each channel's newest document.
  static func signers(_ database: Database) throws -> [Set<String>] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT DISTINCT keys FROM channel_documents WHERE \(Repository.isNewest)")
    return rows.compactMap { row in
      String.fromDatabaseValue(row["keys"]).map { text in
        Set(text.split(separator: " ").map(String.init).filter { !$0.hasPrefix("root:") })
      }
    }
  }
}

/// The files `keys/NAME.key`, and the files of root keys elsewhere.
///
/// A key that doesn't sign any more has the name `NAME.key.retired`.
enum SigningKeys {
  static let firstName = "signing"
  private static let ending = ".key"

  /// Reads the keys, sorted by the names of their files, which are without the extension.
  static func load(_ folder: String) throws -> [(name: String, key: SigningKey)] {
    try FileSystem.names(in: folder).filter { $0.hasSuffix(ending) }.map { name in
      (String(name.dropLast(ending.count)), try read("\(folder)/\(name)"))
    }
  }

  /// Reads a key that only its owner can read.
  static func read(_ path: String) throws -> SigningKey {
    guard let mode = try FileSystem.fileMode(of: path) else {
      throw RepositoryError(.storage, "There is no key file '\(path)'.")
    }
    guard mode & 0o077 == 0 else {
      throw RepositoryError(
        .exposedKey,
        "The private key '\(path)' has the mode 0\(String(mode, radix: 8)), so other users of this "
          + "computer can use it. Run: chmod 600 '\(path)'. If somebody may have copied it, "
          + "replace it afterwards: tensorio repository keys rotate --stolen")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RepositoryError(.storage, "The key '\(path)' cannot be read.")
    }
    do {
      return try SigningKey(
        String(decoding: data.prefix(1024), as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines))
    } catch let error as RepositoryError {
      throw RepositoryError(error.code, "'\(path)' isn't a private key. \(error.message)")
    }
  }

  static func make(_ name: String, in folder: String) throws -> SigningKey {
    try make(at: "\(folder)/\(name)\(ending)")
  }

  /// Creates a key in a file that only its owner can read.
  static func make(at path: String) throws -> SigningKey {
    guard try !FileSystem.exists(path) else {
      throw RepositoryError(.invalidOption, "The key '\(path)' already exists.")
    }
    let key = SigningKey()
    try FileSystem.write(Data((key.text + "\n").utf8), to: path, permissions: 0o600)
    return key
  }

  /// Stops using a key by renaming its file to a name that isn't read.
  static func retire(_ name: String, in folder: String) throws {
    let path = "\(folder)/\(name)\(ending)"
    var target = path + ".retired"
    var number = 1
    while try FileSystem.exists(target) {
      number += 1
      target = "\(path).retired-\(number)"
    }
    try FileSystem.rename(path, to: target)
    try FileSystem.flush(folder)
  }
}

/// The files `roots/N.json`: the signed root documents, numbered from 1 without a gap.
struct RootFolder: Sendable {
  /// The trust that the newest document defines, or nil if the folder has no document.
  var trust: RepositoryTrust?
  /// The signed documents as they are sent, the first one first.
  var documents: [Data] = []
  /// All keys that any of the documents has allowed to sign channel documents.
  var namedKeys: [VerificationKey] = []

  /// Reads the documents, each of which has to follow the previous one.
  static func load(_ folder: String) throws -> RootFolder {
    var content = RootFolder()
    let names = Set(try FileSystem.names(in: folder))
    var version = 1
    while names.contains("\(version).json") {
      let path = "\(folder)/\(version).json"
      guard let data = FileManager.default.contents(atPath: path) else {
        throw RepositoryError(.storage, "The root document '\(path)' cannot be read.")
      }
      do {
        let signed = try RepositoryJSON.decode(SignedDocument.self, from: data)
        if content.trust == nil {
          content.trust = try RepositoryTrust(root: signed)
        } else {
          try content.trust?.accept(signed)
        }
      } catch {
        throw RepositoryError(
          .storage,
          "The root document '\(path)' is damaged: \(error) Copy it from a backup, or from the "
            + "server's /v1/root/\(version).")
      }
      guard content.trust?.version == version else {
        throw RepositoryError(
          .storage,
          "'\(path)' contains root document \(content.trust?.version ?? 0). Copy the right one "
            + "from a backup.")
      }
      content.documents.append(data)
      content.namedKeys += try content.trust?.root?.channels.verificationKeys() ?? []
      version += 1
    }
    let later = names.compactMap { name in
      name.hasSuffix(".json") ? Int(name.dropLast(".json".count)) : nil
    }.filter { $0 > version }.min()
    if let later {
      throw RepositoryError(
        .storage,
        "'\(folder)' has \(later).json, but \(version).json is missing. Copy it from a backup.")
    }
    return content
  }
}
#endif
