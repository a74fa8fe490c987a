// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
package import ModelRepositoryAPI

/// Where commands keep what they fetched.
package enum RepositoryCache {
  /// The folder of a server's channel.
  ///
  /// Documents of another server, or channel, are not this one's newer or older ones.
  package static func folder(server: String, channel: RepositoryName) -> String {
    let caches =
      ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    let place = BlobDigest(of: "\(server)|\(channel)".utf8).hexadecimal.prefix(16)
    return caches + "/tensorio/repository/\(place)"
  }
}
#endif
