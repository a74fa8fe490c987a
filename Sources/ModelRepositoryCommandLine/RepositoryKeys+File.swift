// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryServer
import TensorIO

extension RepositoryKeys {
  /// Reads a private key from a regular file that only its owner may read.
  ///
  /// - Throws: `TensorIOError` for another kind of file, or `RepositoryError` if the file isn't a
  ///   key.
  static func readKey(inFile path: String) throws -> SigningKey {
    if FileManager.default.fileExists(atPath: path) { try FileSystem.requireFile(path) }
    return try readKey(path)
  }
}
#endif
