// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOHTTPTypesHTTP1

/// Closes a connection whose client receives nothing, or almost nothing, of what is sent to it.
///
/// The server's own idle timeout doesn't count while a response is being sent.
final class WriteStallHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// How many bytes a client must receive within the time limit, if that many are waiting.
  private static let leastProgress = 64 << 10

  private let patience: TimeAmount
  /// A time and how many bytes waited then, or nil while there is room for more.
  ///
  /// Since that time, the client has received almost none of them.
  private var mark: (time: NIODeadline, waiting: Int)?
  /// The scheduled check of the mark.
  ///
  /// It isn't cancelled when there is room again, because this happens with every few kilobytes of
  /// a large response, and cancelling a task takes a search.
  private var check: Scheduled<Void>?

  /// - Parameter patience: How long a client may make no progress. The connection is closed after
  ///   this time, or up to half as long again.
  init(_ patience: TimeAmount) { self.patience = patience }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    mark = context.channel.isWritable ? nil : (.now(), .max)
    if mark != nil, check == nil { schedule(context) }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  private func schedule(_ context: ChannelHandlerContext) {
    let interval = TimeAmount.nanoseconds(patience.nanoseconds / 4)
    check = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
      self.check = nil
      guard let mark = self.mark else { return }
      // A connection that can't report its waiting bytes counts as making no progress.
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if mark.waiting - waiting >= Self.leastProgress {
        self.mark = (.now(), waiting)
      } else if NIODeadline.now() - mark.time >= self.patience {
        return context.close(promise: nil)
      }
      self.schedule(context)
    }
  }
}

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
