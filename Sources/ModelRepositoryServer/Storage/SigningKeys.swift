// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ModelRepositoryAPI

/// The files `keys/NAME.key`: every one of them signs, so that a new key can be known to clients
/// before an old one goes.
enum SigningKeys {
  static let firstName = "signing"

  /// Reads the keys, in the order of their names.
  ///
  /// - Parameters:
  ///   - folder: Where they are.
  ///   - isMade: Whether the first is made where there is none.
  /// - Returns: The keys.
  /// - Throws: ``RepositoryError``.
  static func load(_ folder: String, orMake isMade: Bool) throws -> [SigningKey] {
    var names = try FileSystem.names(in: folder).filter { $0.hasSuffix(".key") }
    if names.isEmpty, isMade {
      _ = try make(firstName, in: folder)
      names = [firstName + ".key"]
    }
    return try names.map { name in
      guard let data = FileManager.default.contents(atPath: folder + "/" + name) else {
        throw RepositoryError(.storage, "The key '\(folder)/\(name)' cannot be read.")
      }
      return try SigningKey(
        String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// Makes a key.
  ///
  /// - Throws: ``RepositoryError`` where there is one of that name.
  static func make(_ name: String, in folder: String) throws -> SigningKey {
    let path = "\(folder)/\(name).key"
    guard !FileManager.default.fileExists(atPath: path) else {
      throw RepositoryError(.invalidOption, "There is a key '\(name)' already.")
    }
    let key = SigningKey()
    let fresh = path + ".new"
    try FileSystem.remove(fresh)
    guard
      FileManager.default.createFile(
        atPath: fresh, contents: Data((key.text + "\n").utf8),
        attributes: [.posixPermissions: 0o600])
    else { throw RepositoryError(.storage, "The key '\(fresh)' cannot be written.") }
    try FileSystem.flush(fresh)
    try FileSystem.rename(fresh, to: path)
    try FileSystem.flush(folder)
    return key
  }
}
