// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import Synchronization
import WebServing

/// Limits the connections, and tells the limits which of them have calls.
///
/// If there are too many connections, the one that has had no call for the longest time is closed.
final class CallConnections: Sendable {
  private struct Entry {
    let connection: ConnectionLimits.Connection
    var calls = 0
  }

  private let limits: ConnectionLimits
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  init(_ limits: ConnectionLimits) { self.limits = limits }

  /// Admits a new connection, or closes it.
  func open(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let connection = limits.admit(channel) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeSucceededVoidFuture()
    }
    let key = ObjectIdentifier(channel)
    entries.withLock { $0[key] = Entry(connection: connection) }
    channel.closeFuture.whenComplete { [self] _ in
      entries.withLock { $0[key] = nil }
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

  private func count(_ change: Int, _ key: ObjectIdentifier) {
    entries.withLock { entries in
      entries[key]?.calls += change
      guard let entry = entries[key] else { return }
      entry.connection.setWaiting(entry.calls == 0)
    }
  }
}
#endif
