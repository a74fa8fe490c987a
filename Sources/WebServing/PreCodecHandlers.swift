// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOHTTPTypesHTTP1

/// Prepares a new connection: adds handlers before the one that converts NIOHTTP1's types to the server's,
/// and sets how much is read at once.
///
/// The server itself adds handlers only behind that one, where the conversion would be wasted work.
final class PreCodecHandlers: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// How much is read at once.
  ///
  /// Blocks of NIO's 64 KiB are large enough for the allocator to ask the system
  /// for each of them, which costs more than twice as many reads.
  private static let reads = AdaptiveRecvByteBufferAllocator(
    minimum: 512, initial: 2 << 10, maximum: 32 << 10)

  private var handlers: [any RemovableChannelHandler]

  /// - Parameter handlers: The first is the first to see a request.
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
      // Without them the server would not do what it was told to.
      context.close(promise: nil)
    }
  }
}
#endif
