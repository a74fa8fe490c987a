// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

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
#endif
