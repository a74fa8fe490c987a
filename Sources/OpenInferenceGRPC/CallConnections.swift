// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRPCCore
import NIOCore
import Synchronization
import WebServing

/// Limits the connections, and tells the limits which of them have calls.
///
/// If there are too many connections, the one that has had no call for the longest time is closed.
/// A call that only watches doesn't count, because it lasts as long as its connection.
final class CallConnections: Sendable {
  private struct Entry {
    let connection: ConnectionLimits.Connection
    var calls = 0
  }

  private let limits: ConnectionLimits
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  /// The connections by their clients, as calls name them.
  private let peers = Mutex<[String: ObjectIdentifier]>([:])

  init(_ limits: ConnectionLimits) { self.limits = limits }

  /// Admits a new connection, or closes it.
  func open(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let connection = limits.admit(channel) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeSucceededVoidFuture()
    }
    let key = ObjectIdentifier(channel)
    entries.withLock { $0[key] = Entry(connection: connection) }
    let peer = channel.peer
    if let peer { peers.withLock { $0[peer] = key } }
    channel.closeFuture.whenComplete { [self] _ in
      entries.withLock { $0[key] = nil }
      // Another connection may have the address already.
      if let peer { peers.withLock { if $0[peer] == key { $0[peer] = nil } } }
      limits.remove(connection)
    }
    return channel.eventLoop.makeSucceededVoidFuture()
  }

  /// Counts a call until its stream is closed.
  func begin(_ stream: any Channel) -> EventLoopFuture<Void> {
    if let key = stream.parent.map(ObjectIdentifier.init) {
      count(1, key)
      stream.closeFuture.whenComplete { [self] _ in count(-1, key) }
    }
    return stream.eventLoop.makeSucceededVoidFuture()
  }

  /// Runs a call that only watches, during which its connection counts as one without a call.
  ///
  /// - Parameters:
  ///   - peer: The client, as in the call's context.
  ///   - body: The call.
  /// - Throws: What the call throws.
  func whileWatching(_ peer: String, _ body: () async throws -> Void) async throws {
    guard let key = peers.withLock({ $0[peer] }) else { return try await body() }
    count(-1, key)
    let hasEnded = Atomic(false)
    // The stream of a cancelled call is closed before the call notices, and then counts as ended.
    let end = { @Sendable [self] in
      if !hasEnded.exchange(true, ordering: .relaxed) { count(1, key) }
    }
    defer { end() }
    try await withRPCCancellationHandler(operation: body, onCancelRPC: end)
  }

  private func count(_ change: Int, _ key: ObjectIdentifier) {
    entries.withLock { entries in
      entries[key]?.calls += change
      guard let entry = entries[key] else { return }
      // The stream of a call that watched may be closed before the call ends.
      entry.connection.setWaiting(entry.calls <= 0)
    }
  }
}

extension Channel {
  /// The client's address and port, as the transport names it in a call's context.
  fileprivate var peer: String? {
    guard let address = remoteAddress, let port = address.port else { return nil }
    return switch address {
    case .v4(let address): "ipv4:\(address.host):\(port)"
    case .v6(let address): "ipv6:[\(address.host)]:\(port)"
    case .unixDomainSocket: nil
    }
  }
}
#endif
