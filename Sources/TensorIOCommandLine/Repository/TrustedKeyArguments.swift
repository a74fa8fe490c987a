// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ModelRepositoryAPI
import TensorIO

/// The keys that a command trusts.
struct TrustedKeyArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A key that is trusted, as 'repository keys' prints it; may be repeated.", valueName: "key"))
  var key: [String] = []

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "A root document that is trusted instead of keys: a file of the repository's folder 'roots'.",
      valueName: "file"),
    completion: .file())
  var rootFile: String?

  func validate() throws {
    guard key.isEmpty != (rootFile == nil) else {
      throw ValidationError("Name a key that you trust with --key, or a root document with --root.")
    }
    _ = try verificationKeys()
  }

  func verificationKeys() throws -> [VerificationKey] {
    do {
      return try key.map { try VerificationKey($0) }
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// The root document; nil where keys are trusted.
  func root() throws -> SignedDocument? {
    try rootFile.map(SignedDocument.init(ofRootFile:))
  }

  /// What is trusted.
  func trust() throws -> RepositoryTrust {
    guard let root = try root() else { return RepositoryTrust(keys: try verificationKeys()) }
    return try RepositoryTrust(root: root)
  }
}

extension SignedDocument {
  /// Reads a root document, which nobody has checked yet.
  ///
  /// - Throws: `TensorIOError` that says what the file should be.
  init(ofRootFile path: String) throws {
    let data = try Data(FileSystem.read(path))
    do {
      self = try RepositoryJSON.decode(SignedDocument.self, from: data)
    } catch {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' is not a signed root document. It is the file roots/N.json of a repository's "
          + "folder, or what its server answers at /v1/root.", cause: error)
    }
  }
}
