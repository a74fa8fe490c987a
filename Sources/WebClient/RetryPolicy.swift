// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// An attempt that failed, and whether another one may succeed.
package struct FailedAttempt: Error {
  /// The error to throw if there is no further attempt.
  package var error: any Error
  /// Whether another attempt may succeed.
  package var isTransient: Bool
  /// The server's code for the failure.
  package var code: String?
  /// The time that the server asked to wait before another attempt.
  package var retryAfter: Duration?
  /// Whether new bytes arrived before the failure, so that earlier failures no longer count.
  package var madeProgress: Bool

  package init(_ error: any Error, isTransient: Bool = true, madeProgress: Bool = false) {
    self.error = error
    self.isTransient = isTransient
    self.madeProgress = madeProgress
  }
}

/// How often requests are sent again, and how long to wait before.
package struct RetryPolicy: Sendable {
  /// The maximum number of attempts, including the first one.
  package var attempts: Int
  /// The longest pause before the second attempt.
  ///
  /// It doubles with each further attempt.
  package var pause: Duration
  /// The limit of the doubled pause.
  package var longestPause: Duration
  /// The longest pause that a server may ask for.
  package var longestRetryAfter: Duration
  /// Whether a server that asks for a longer pause is asked again after the longest one.
  package var cutsRetryAfter: Bool

  package init(
    attempts: Int, pause: Duration, longestPause: Duration,
    longestRetryAfter: Duration = .seconds(120), cutsRetryAfter: Bool = false
  ) {
    self.attempts = attempts
    self.pause = pause
    self.longestPause = longestPause
    self.longestRetryAfter = longestRetryAfter
    self.cutsRetryAfter = cutsRetryAfter
  }

  /// Runs some work, and retries it if it throws ``FailedAttempt`` for a transient failure.
  ///
  /// `finalError` makes the error to throw from the last failure and the number of failures.
  ///
  /// - Throws: Any error of the work, but never ``FailedAttempt``.
  package func run<Value>(
    finalError: (FailedAttempt, Int) -> any Error = { failure, _ in failure.error },
    _ work: () async throws -> Value
  ) async throws -> Value {
    var failures = 0
    while true {
      do {
        return try await work()
      } catch let failure as FailedAttempt {
        failures = failure.madeProgress ? 1 : failures + 1
        guard let pause = pause(after: failure, number: failures) else {
          throw finalError(failure, failures)
        }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Returns the pause after a number of failures, or nil if there is no further attempt.
  ///
  /// The pause is random, so that clients that lost the same server don't all return at once.
  package func pause(after failure: FailedAttempt, number: Int) -> Duration? {
    guard failure.isTransient, number < attempts else { return nil }
    let longest = min(pause * (1 << min(number - 1, 20)), longestPause)
    let own = longest * Double.random(in: 0.5...1)
    guard let asked = failure.retryAfter else { return own }
    guard asked <= longestRetryAfter || cutsRetryAfter else { return nil }
    return max(own, min(asked, longestRetryAfter))
  }
}
#endif
