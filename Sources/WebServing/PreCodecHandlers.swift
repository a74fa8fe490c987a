// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOHTTPTypesHTTP1

/// Prepares a new connection.
///
/// It adds handlers before the one that converts NIOHTTP1's types to the server's, and sets how
/// much is read at once.
///
/// The server itself adds handlers only after that one, where the conversion would be wasted work.
final class PreCodecHandlers: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// How much is read at once.
  ///
  /// NIO's blocks of 64 KiB are so large that the allocator asks the system for each of them. This
  /// costs more than reading twice as often.
  private static let reads = AdaptiveRecvByteBufferAllocator(
    minimum: 512, initial: 2 << 10, maximum: 32 << 10)

  private var handlers: [any RemovableChannelHandler]

  /// - Parameter handlers: The handlers to add. The first one sees a request first.
  init(_ handlers: [any RemovableChannelHandler]) { self.handlers = handlers }

  func handlerAdded(context: ChannelHandlerContext) {
    do {
      try context.channel.syncOptions?.setOption(.recvAllocator, value: Self.reads)
      let pipeline = context.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandlers(handlers, position: .before(codec))
      handlers = []
      pipeline.removeHandler(context: context, promise: nil)
    } catch {
      // Without these handlers, the server wouldn't follow its configuration.
      context.close(promise: nil)
    }
  }
}
#endif
