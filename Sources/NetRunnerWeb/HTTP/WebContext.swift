// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import NIOCore

/// What the server keeps of a request beside the request itself.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, which is closed where its client would go on sending what was refused.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
#endif
