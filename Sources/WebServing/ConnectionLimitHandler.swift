// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOHTTP1

/// Registers a connection with ``ConnectionLimits``, and reports when a request is being answered.
final class ConnectionLimitHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private var connection: ConnectionLimits.Connection?

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) {
    guard let connection = limits.admit(context.channel) else {
      return context.close(promise: nil)
    }
    self.connection = connection
    context.channel.closeFuture.whenComplete { [limits] _ in limits.remove(connection) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) { connection?.setWaiting(false) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { connection?.setWaiting(true) }
    context.write(data, promise: promise)
  }
}
#endif
