// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore

/// Closes a connection whose client takes nothing, or next to nothing, of what is sent to it.
///
/// The server's own time for silence does not count while an answer is under way.
final class WriteStallHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// How many bytes a client must take in the time, where so many are waiting.
  private static let leastProgress = 64 << 10

  private let patience: TimeAmount
  /// How many bytes waited at a time since which the client has taken next to none; nil while there
  /// is room for more.
  private var mark: (time: NIODeadline, waiting: Int)?
  /// Looks at the mark.
  ///
  /// It is left to run out where room was made: that happens with every few kilobytes of a large
  /// answer, and to cancel a task takes a search.
  private var check: Scheduled<Void>?

  /// - Parameter patience: After how long without progress it ends, or half as much again.
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
      // A connection that cannot tell makes no progress that is known.
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
#endif
