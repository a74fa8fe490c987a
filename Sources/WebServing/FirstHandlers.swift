// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTPTypesHTTP1

/// Puts handlers before the one that makes the server's own types of what NIOHTTP1 has read.
///
/// The server takes handlers behind that one only; for them, that work would be done in vain.
final class FirstHandlers: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private var handlers: [any RemovableChannelHandler]

  /// - Parameter handlers: The first is the first to see a request.
  init(_ handlers: [any RemovableChannelHandler]) { self.handlers = handlers }

  func handlerAdded(context: ChannelHandlerContext) {
    do {
      let pipeline = context.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandlers(handlers, position: .before(codec))
      handlers = []
      pipeline.removeHandler(context: context, promise: nil)
    } catch {
      // Without them the server would not do what it was told to.
      context.close(promise: nil)
    }
  }
}
