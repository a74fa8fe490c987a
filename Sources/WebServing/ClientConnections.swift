// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import NIOCore
import Synchronization

/// Notices when clients close their connections, so that no work is done for them any longer.
///
/// A client that closes only its own direction of a connection can't be told from one that is gone.
/// It counts as gone, too.
package final class ClientConnections: Sendable {
  /// The error of work whose client closed the connection.
  package struct ClientIsGone: Error {}

  private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

  package init() {}

  /// Makes the handler of a new connection.
  package func makeHandler() -> any RemovableChannelHandler { Handler(self) }

  /// Does work for a request, in a task that is cancelled when its client closes the connection.
  ///
  /// - Parameters:
  ///   - channel: The request's connection.
  ///   - work: The work.
  /// - Returns: The work's result.
  /// - Throws: The work's error, or ``ClientIsGone`` if it failed after the client had gone.
  package func whileConnected<Result: Sendable>(
    _ channel: any Channel, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let connection = connections.withLock { $0[ObjectIdentifier(channel)] }
    // A test's connection has no handler.
    guard let connection else { return try await work() }
    let task = Task { try await work() }
    connection.begin { task.cancel() }
    defer { connection.end() }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      // The server closes the connections of tasks that it cancels.
      throw connection.isOpen || Task.isCancelled ? error : ClientIsGone()
    }
  }

  /// A connection, which has one request at a time.
  private final class Connection: Sendable {
    private struct State {
      var isOpen = true
      var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Notes what ends the work for the current request.
    func begin(_ cancel: @escaping @Sendable () -> Void) {
      let isOpen = state.withLock { state in
        state.cancel = cancel
        return state.isOpen
      }
      if !isOpen { cancel() }
    }

    func end() { state.withLock { $0.cancel = nil } }

    func close() {
      let cancel = state.withLock { state in
        state.isOpen = false
        return state.cancel
      }
      cancel?()
    }
  }

  private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let connections: ClientConnections
    private let connection = Connection()

    init(_ connections: ClientConnections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
      let id = ObjectIdentifier(context.channel)
      connections.connections.withLock { $0[id] = connection }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      connection.close()
      let id = ObjectIdentifier(context.channel)
      connections.connections.withLock { $0[id] = nil }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case ChannelEvent.inputClosed = event { connection.close() }
      context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
      connection.close()
      context.fireChannelInactive()
    }
  }
}
#endif
