// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Logging
package import NIOCore
import NIOHTTP1
import Synchronization

/// Limits how many connections a server has, in total and for each client address.
///
/// If there is no room, the connection that has waited the longest for a complete request head is
/// closed. It is idle, or its client sends the head very slowly. A new client therefore gets a
/// response even if others hold as many connections as they can. A new connection is refused only
/// if every connection of its address is being answered, or if all of them are and there are more
/// than ``spare`` above the limit.
package final class ConnectionLimits: Sendable {
  package final class Connection: Sendable {
    fileprivate let channel: any Channel
    fileprivate let address: String
    /// When the connection began to wait for a request, in nanoseconds, or 0 during a request.
    fileprivate let waitingSince: Atomic<UInt64>

    fileprivate init(_ channel: any Channel, _ address: String) {
      self.channel = channel
      self.address = address
      waitingSince = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// Records that a request's head has arrived, or that its response has ended.
    package func setWaiting(_ isWaiting: Bool) {
      waitingSince.store(isWaiting ? NIODeadline.now().uptimeNanoseconds : 0, ordering: .relaxed)
    }
  }

  private struct State {
    var connections: [String: [ObjectIdentifier: Connection]] = [:]
    var count = 0
    /// The number of connections that were closed since the last log message.
    var closed = 0
    var logged: NIODeadline?
  }

  /// How many connections to accept beyond the limit, while others are about to be closed.
  static let spare = 256

  let total: Int
  private let perAddress: Int
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameters:
  ///   - total: The maximum number of connections.
  ///   - perAddress: The maximum number per address or, for IPv6, per 64-bit network; 0 for no
  ///     limit.
  ///   - logger: Receives at most one message a minute while connections are closed.
  package init(total: Int = 1024, perAddress: Int, logger: Logger) {
    self.total = total
    self.perAddress = perAddress > 0 ? perAddress : total
    self.logger = logger
  }

  /// Admits a connection, making room for it if necessary; nil if it must be closed.
  package func admit(_ channel: any Channel) -> Connection? {
    let connection = Connection(channel, Self.key(channel.remoteAddress?.ipAddress ?? ""))
    let (isAdmitted, victim, closed) = state.withLock { state in
      let own = state.connections[connection.address] ?? [:]
      var (isAdmitted, victim): (Bool, Connection?) = (true, nil)
      if own.count >= perAddress {
        victim = Self.oldest(own)
        isAdmitted = victim != nil
      } else if state.count >= total {
        // If no connection of the address with the most can make room, new ones are accepted up to
        // the spare number. A server that stops accepting there lets others wait.
        let most = state.connections.values.max { $0.count < $1.count }
        victim = most.flatMap(Self.oldest)
        if victim == nil, state.count >= total + Self.spare {
          let all = state.connections.values.reduce(into: [ObjectIdentifier: Connection]()) {
            $0.merge($1) { old, _ in old }
          }
          victim = Self.oldest(all)
        }
        isAdmitted = victim != nil || state.count < total + Self.spare
      }
      if let victim { Self.remove(victim, &state) }
      if isAdmitted {
        state.connections[connection.address, default: [:]][ObjectIdentifier(connection)] =
          connection
        state.count += 1
      }
      var closed = 0
      if victim != nil || !isAdmitted {
        state.closed += 1
        if state.logged.map({ NIODeadline.now() - $0 > .minutes(1) }) ?? true {
          (closed, state.closed, state.logged) = (state.closed, 0, .now())
        }
      }
      return (isAdmitted, victim, closed)
    }
    victim?.channel.close(promise: nil)
    if closed > 0 {
      logger.warning(
        "connections were closed, because there are too many",
        metadata: ["address": "\(connection.address)", "closed": "\(closed)"])
    }
    return isAdmitted ? connection : nil
  }

  package func remove(_ connection: Connection) {
    state.withLock { Self.remove(connection, &$0) }
  }

  private static func remove(_ connection: Connection, _ state: inout State) {
    let id = ObjectIdentifier(connection)
    guard state.connections[connection.address]?.removeValue(forKey: id) != nil else { return }
    if state.connections[connection.address]?.isEmpty == true {
      state.connections[connection.address] = nil
    }
    state.count -= 1
  }

  /// Returns the connection that has waited the longest, or nil if all are being answered.
  private static func oldest(_ connections: [ObjectIdentifier: Connection]) -> Connection? {
    connections.values
      .map { (connection: $0, since: $0.waitingSince.load(ordering: .relaxed)) }
      .filter { $0.since > 0 }.min { $0.since < $1.since }?.connection
  }

  /// Returns what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address.
  package static func key(_ address: String) -> String {
    guard address.contains(":") else { return address }
    if address.contains("."), let last = address.split(separator: ":").last { return String(last) }
    let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.split(separator: ":") }
    guard let left = halves.first else { return address }
    let right = halves.count > 1 ? halves[1] : []
    let zeros = Array(repeating: Substring("0"), count: max(0, 8 - left.count - right.count))
    return (left + zeros + right).prefix(4).joined(separator: ":") + "::/64"
  }
}

/// Registers a connection with ``ConnectionLimits``, and reports when a request is being answered.
final class ConnectionLimitHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart

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
