// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import WebServing

/// Finds the page's files, which come with the program.
enum PageFolder {
  private static let name = "TensorIO_NetRunnerWeb.resources"

  /// Returns the folder of the page.
  ///
  /// - Throws: `TensorIOError` if the folder is missing.
  static func find() throws -> String {
    let assets = AssetFolder.path(bundle: name, installed: "netrunner", module: .module)
    guard FileSystem.isFolder(assets) else {
      throw TensorIOError(
        .fileNotFound,
        "The files of Net Runner's page are missing: there is no '\(name)' in "
          + "'\(Bundle.main.bundlePath)'. Copy that folder from the build folder to the program's "
          + "folder.")
    }
    return assets
  }
}
#endif
