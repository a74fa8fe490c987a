// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Logging
import NIOCore
import Synchronization

/// How many connections a server has, in all and for each client's address.
///
/// Where there is no room, the connection is closed that has waited the longest without a whole
/// request's head: it is idle, or its client lets the head drip. A new client is therefore answered
/// while others hold as many connections as they can get. Only where every connection of an address
/// is being answered is the new one refused.
package final class ConnectionLimits: Sendable {
  /// One connection.
  final class Connection: Sendable {
    fileprivate let channel: any Channel
    fileprivate let address: String
    /// Since when it has waited for a request, in nanoseconds; 0 while one is answered.
    fileprivate let waitingSince: Atomic<UInt64>

    fileprivate init(_ channel: any Channel, _ address: String) {
      self.channel = channel
      self.address = address
      waitingSince = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// Notes that a request's head has come, or that its answer has ended.
    func setWaiting(_ isWaiting: Bool) {
      waitingSince.store(
        isWaiting ? NIODeadline.now().uptimeNanoseconds : 0, ordering: .relaxed)
    }
  }

  private struct State {
    var connections: [String: [ObjectIdentifier: Connection]] = [:]
    var count = 0
    /// How many were closed since the log was told.
    var closed = 0
    var logged: NIODeadline?
  }

  /// How many more connections than the limit are accepted, for those that are about to be closed.
  static let spare = 256

  let total: Int
  private let perAddress: Int
  private let logger: Logger
  private let state = Mutex(State())

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - total: How many connections there may be.
  ///   - perAddress: How many each address may have; for IPv6, each network of 64 bits. 0 for as many
  ///     as there may be, as behind a proxy.
  ///   - logger: Gets a line at most once a minute while connections are closed.
  package init(total: Int = 1024, perAddress: Int, logger: Logger) {
    self.total = total
    self.perAddress = perAddress > 0 ? perAddress : total
    self.logger = logger
  }

  /// Takes a connection in, and makes room for it.
  ///
  /// - Returns: nil where the connection is to be closed.
  func admit(_ channel: any Channel) -> Connection? {
    let connection = Connection(channel, Self.key(channel.remoteAddress?.ipAddress ?? ""))
    let (isAdmitted, victim, closed) = state.withLock { state in
      let own = state.connections[connection.address] ?? [:]
      var (isAdmitted, victim): (Bool, Connection?) = (true, nil)
      if own.count >= perAddress {
        victim = Self.oldest(own)
        isAdmitted = victim != nil
      } else if state.count >= total {
        // What nobody can make room for is accepted up to the spare ones, and waits after that.
        let most = state.connections.values.max { $0.count < $1.count }
        victim = most.flatMap(Self.oldest)
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

  /// Forgets a connection that was closed.
  func remove(_ connection: Connection) {
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

  /// The connection that has waited the longest; nil where all are answered.
  private static func oldest(_ connections: [ObjectIdentifier: Connection]) -> Connection? {
    connections.values
      .map { (connection: $0, since: $0.waitingSince.load(ordering: .relaxed)) }
      .filter { $0.since > 0 }.min { $0.since < $1.since }?.connection
  }

  /// What counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address.
  static func key(_ address: String) -> String {
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
#endif
