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
#endif
