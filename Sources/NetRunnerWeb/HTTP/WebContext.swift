// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import NIOCore

/// What the server stores for a request, besides the request itself.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, which is closed if its client would keep sending a body that was refused.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
#endif
