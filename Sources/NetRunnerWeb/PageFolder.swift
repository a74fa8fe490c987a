// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// The page's files, which come with the program.
enum PageFolder {
  private static let name = "TensorIO_NetRunnerWeb.resources"

  /// The folder of the page.
  ///
  /// SwiftPM's own look-up ends the process where the program was moved away from its files, and it
  /// takes those of the build that made it. Not used on Apple's systems, which have real bundles.
  ///
  /// - Throws: `TensorIOError` where it is not there.
  static func find() throws -> String {
    #if os(Linux)
    let folder = Bundle.main.bundlePath
    // Where the build puts it, and where `make install` does.
    let places = ["\(folder)/\(name)/Assets", "\(folder)/../share/tensorio/netrunner"]
    guard let assets = places.first(where: FileSystem.isFolder) else {
      throw TensorIOError(
        .fileNotFound,
        "Net Runner's page is missing: there is no '\(name)' in '\(folder)'. Copy that folder from "
          + "where the program was built, beside the program.")
    }
    return assets
    #else
    return Bundle.module.bundlePath + "/Assets"
    #endif
  }
}
#endif
