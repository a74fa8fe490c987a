// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Lets a synchronous command wait for asynchronous work.
package enum BlockingTask {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Void, any Error>>(.success(()))
  }

  /// Runs a task and blocks the thread until it ends.
  package static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Outcome()
    let ended = DispatchSemaphore(value: 0)
    Task {
      do {
        try await body()
      } catch {
        outcome.result.withLock { $0 = .failure(error) }
      }
      ended.signal()
    }
    ended.wait()
    try outcome.result.withLock { $0 }.get()
  }
}
