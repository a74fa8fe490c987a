// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// Delays the responses to wrong tokens, so that an attacker can't try many of them.
///
/// Wrong tokens from the same address are answered one after the other. Correct tokens never wait,
/// so an attacker can't lock out other users of the same address.
final class TokenGuesses: Sendable {
  private let interval: Duration
  private let turns = Mutex<[String: ContinuousClock.Instant]>([:])

  /// How many wrong tokens in a row are answered immediately, because people mistype.
  private static let free = 3
  /// The maximum delay of a response.
  private static let longest = Duration.seconds(10)
  /// The number of addresses to remember before those that have no delay left are removed.
  private static let addresses = 4096

  /// - Parameter interval: The time between two responses to the same address.
  init(interval: Duration = .milliseconds(500)) { self.interval = interval }

  /// Waits until the next wrong token from an address may be answered.
  ///
  /// - Parameter address: The address that the request came from.
  /// - Throws: `CancellationError` if the task is cancelled.
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
