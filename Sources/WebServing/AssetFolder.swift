// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Foundation

/// Finds the files that a server's module ships.
package enum AssetFolder {
  /// Returns the folder of a module's files.
  ///
  /// On Linux, this doesn't use SwiftPM's own lookup. That ends the process if the program was
  /// moved away from its files, or takes the files of the build that made it. Apple's systems have
  /// real bundles, so the lookup is used there.
  ///
  /// - Parameters:
  ///   - bundle: The name of the module's bundle, which is in the program's folder after a build.
  ///   - installed: The name of the folder in `share/tensorio` after `make install`.
  ///   - module: The module's bundle on Apple's systems.
  /// - Returns: The folder. If there is none, this is where it should be after a build.
  package static func path(
    bundle: String, installed: String, module: @autoclosure () -> Bundle
  ) -> String {
    #if os(Linux)
    let program = Bundle.main.bundlePath
    let candidates = ["\(program)/\(bundle)/Assets", "\(program)/../share/tensorio/\(installed)"]
    return candidates.first { FileManager.default.fileExists(atPath: $0) } ?? candidates[0]
    #else
    return module().bundlePath + "/Assets"
    #endif
  }
}
#endif
