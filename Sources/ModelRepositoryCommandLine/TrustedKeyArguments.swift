// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import TensorIO

/// The options for the keys that a command trusts.
struct TrustedKeyArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A trusted key, as printed by 'repository keys'; may be repeated.", valueName: "key"))
  var key: [String] = []

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "A trusted root document instead of keys: a file from the repository's folder 'roots'.",
      valueName: "file"),
    completion: .file())
  var rootFile: String?

  func validate() throws {
    guard key.isEmpty != (rootFile == nil) else {
      throw ValidationError("Pass a key that you trust with --key, or a root document with --root.")
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

  /// Reads the root document, or returns nil if keys are given instead.
  func root() throws -> SignedDocument? {
    try rootFile.map(SignedDocument.init(ofRootFile:))
  }

  /// Returns the trust in the keys or in the root document.
  func trust() throws -> RepositoryTrust {
    guard let root = try root() else { return RepositoryTrust(keys: try verificationKeys()) }
    return try RepositoryTrust(root: root)
  }
}
#endif
