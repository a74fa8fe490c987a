// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// Finds the page's files, which come with the program.
enum PageFolder {
  private static let name = "TensorIO_NetRunnerWeb.resources"

  /// Returns the folder of the page.
  ///
  /// On Linux, this doesn't use SwiftPM's own lookup. That ends the process if the program was
  /// moved away from its files, or takes the files of the build that made it. Apple's systems have
  /// real bundles, so the lookup is used there.
  ///
  /// - Throws: `TensorIOError` if the folder is missing.
  static func find() throws -> String {
    #if os(Linux)
    let folder = Bundle.main.bundlePath
    // The path after a build, and the path after `make install`.
    let places = ["\(folder)/\(name)/Assets", "\(folder)/../share/tensorio/netrunner"]
    guard let assets = places.first(where: FileSystem.isFolder) else {
      throw TensorIOError(
        .fileNotFound,
        "The files of Net Runner's page are missing: there is no '\(name)' in '\(folder)'. Copy "
          + "that folder from the build folder to the program's folder.")
    }
    return assets
    #else
    return Bundle.module.bundlePath + "/Assets"
    #endif
  }
}
#endif
