// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Synchronization
import TensorIO

/// Decides which requests are sent again, and waits before.
enum Retries {
  private static let mostAttempts = 4
  /// The longest pause that a server may ask for, in seconds.
  private static let mostSeconds = 60
  /// The servers that couldn't be reached in the last attempts of a request.
  private static let unreachable = Mutex<Set<Substring>>([])

  /// Waits after a failed attempt, or throws its error if there is no further one.
  ///
  /// The pause grows, and is random, so that machines that lost the same server don't all return at
  /// once. While a server can't be reached, further requests to it have only one attempt.
  static func wait(
    after failure: FetchFailure, _ attempts: Int, of request: ObjectRequest
  ) throws(TensorIOError) {
    let isLost = unreachable.withLock { servers in
      if failure.hasResponse { servers.remove(request.server) }
      if attempts >= mostAttempts, !failure.hasResponse { servers.insert(request.server) }
      return servers.contains(request.server)
    }
    guard failure.isTransient, attempts < mostAttempts, !isLost,
      failure.retrySeconds <= mostSeconds
    else {
      var error = failure.error
      if attempts > 1 { error.message += " There were \(attempts) attempts." }
      throw error
    }
    let pause = 0.5 * Double(1 << (attempts - 1)) * Double.random(in: 0.5...1)
    usleep(UInt32(max(pause, Double(failure.retrySeconds)) * 1_000_000))
  }

  /// Notes that a server responded.
  static func noteSuccess(of request: ObjectRequest) {
    _ = unreachable.withLock { $0.remove(request.server) }
  }
}
