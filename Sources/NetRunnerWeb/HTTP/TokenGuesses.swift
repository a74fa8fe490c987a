// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// Delays the answers to wrong tokens, so that nobody can try many of them.
///
/// Each address has a line of its own, in which wrong tokens are answered one after the other. Right
/// tokens never wait: an attacker behind the same address cannot lock anyone out.
final class TokenGuesses: Sendable {
  private let interval: Duration
  private let turns = Mutex<[String: ContinuousClock.Instant]>([:])

  /// How many wrong tokens in a row are answered at once: a person mistypes.
  private static let free = 3
  /// The longest that an answer waits.
  private static let longest = Duration.seconds(10)
  /// How many addresses are remembered.
  private static let addresses = 4096

  /// - Parameter interval: The time between two answers to an address.
  init(interval: Duration = .milliseconds(500)) { self.interval = interval }

  /// Waits until the address's next wrong token may be answered.
  ///
  /// - Parameter address: Where the request came from.
  /// - Throws: `CancellationError`.
  func wait(for address: String) async throws {
    let now = ContinuousClock.now
    let turn = turns.withLock { turns -> ContinuousClock.Instant in
      if turns.count >= Self.addresses { turns = turns.filter { $0.value > now } }
      let credit = now - interval * Self.free
      let turn = min(max(turns[address] ?? credit, credit) + interval, now + Self.longest)
      turns[address] = turn
      return turn
    }
    if turn > now { try await Task.sleep(until: turn, clock: .continuous) }
  }
}
#endif
