// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
package import ModelRepositoryAPI

/// The cache that commands use.
package enum RepositoryCache {
  /// Returns the cache folder for a server's channel.
  ///
  /// Each server and channel has its own folder, because their document versions can't be compared.
  package static func folder(server: String, channel: RepositoryName) -> String {
    let caches =
      ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    let name = BlobDigest(of: "\(server)|\(channel)".utf8).hexadecimal.prefix(16)
    return caches + "/tensorio/repository/\(name)"
  }
}
#endif
