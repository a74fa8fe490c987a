// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import Hummingbird
import Synchronization
import WebServing

/// Requires the token for the routes behind this middleware.
struct TokenMiddleware: RequestFilter {
  typealias Context = WebContext

  let check: TokenCheck

  func prepare(_ request: inout Request, _ context: inout WebContext) async throws {
    guard
      try await check.accepts(
        request.bearerToken, from: context.channel.remoteAddress?.ipAddress ?? "")
    else {
      var error = WebError.tokenNeeded
      error.endsConnection = request.method != .get
      throw error
    }
  }
}

/// Checks the token of requests and calls.
struct TokenCheck: Sendable {
  /// The digest of the token, which is compared in constant time, or nil to let every request pass.
  private let token: SHA256Digest?
  private let guesses: TokenGuesses

  init(_ options: NetRunnerOptions) {
    token = options.token.map { SHA256.hash(data: Data($0.utf8)) }
    guesses = TokenGuesses(interval: options.wrongTokenInterval)
  }

  /// Returns whether a token is right, after a wrong one has waited.
  ///
  /// - Throws: ``WebError/tooManyTokens`` if a wrong one would wait too long.
  func accepts(_ sent: Substring?, from address: String) async throws -> Bool {
    guard let token else { return true }
    // A request without a token isn't a guess. The page sends one before it asks the user for the
    // token.
    guard let sent else { return false }
    if SHA256.hash(data: Data(sent.utf8)) == token { return true }
    try await guesses.wait(for: address)
    return false
  }
}

/// Delays the responses to wrong tokens, so that an attacker can't try many of them.
///
/// Wrong tokens from the same address, or from the same 64-bit network of IPv6, are answered one
/// after the other. If too many wait already, another one is refused immediately.
/// Correct tokens never wait, so an attacker can't lock out other users of the same address.
private final class TokenGuesses: Sendable {
  private let interval: Duration
  private let turns = Mutex<[String: ContinuousClock.Instant]>([:])

  /// How many wrong tokens in a row are answered immediately, because people mistype.
  private static let free = 3
  /// The maximum delay of a response.
  private static let longest = Duration.seconds(10)
  /// The number of addresses to remember before those that have no delay left are removed.
  private static let addresses = 4096

  /// - Parameter interval: The time between two responses to the same address.
  init(interval: Duration) { self.interval = interval }

  /// Waits until the next wrong token from an address may be answered.
  ///
  /// - Throws: ``WebError/tooManyTokens`` if its turn would be too late.
  func wait(for address: String) async throws {
    let client = ConnectionLimits.key(address)
    let now = ContinuousClock.now
    let turn = try turns.withLock { turns -> ContinuousClock.Instant in
      if turns.count >= Self.addresses { turns = turns.filter { $0.value > now } }
      let credit = now - interval * Self.free
      let turn = max(turns[client] ?? credit, credit) + interval
      guard turn <= now + Self.longest else { throw WebError.tooManyTokens }
      turns[client] = turn
      return turn
    }
    if turn > now { try await Task.sleep(until: turn, clock: .continuous) }
  }
}
#endif
