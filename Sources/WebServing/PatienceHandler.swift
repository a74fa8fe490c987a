// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Closes a connection whose client takes nothing of what is sent to it.
///
/// The server's own time for silence does not count while an answer is under way.
final class PatienceHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let patience: TimeAmount
  private var deadline: Scheduled<Void>?

  /// - Parameter patience: After how long without room for more it ends.
  init(_ patience: TimeAmount) { self.patience = patience }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      cancel()
    } else if deadline == nil {
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancel() }

  private func cancel() {
    deadline?.cancel()
    deadline = nil
  }
}
