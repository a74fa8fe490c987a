// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
package import ModelRepositoryAPI
import TensorIO

extension SignedDocument {
  /// Reads a root document without verifying it.
  ///
  /// - Throws: `TensorIOError` that says what the file should be.
  package init(ofRootFile path: String) throws {
    let data = try Data(FileSystem.read(path))
    do {
      self = try RepositoryJSON.decode(SignedDocument.self, from: data)
    } catch {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' isn't a signed root document. Use the file roots/N.json from a repository's "
          + "folder, or what its server returns at /v1/root.", cause: error)
    }
  }
}
#endif
