// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// A lock for tasks that wait without blocking a thread, in first-in, first-out order.
package final class AsyncLock: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Runs a closure while no other task holds the lock.
  ///
  /// Cancelling a waiting task doesn't end the wait, because the lock is only held for a short
  /// time.
  package func withLock<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    defer { unlock() }
    return try await body()
  }

  private func unlock() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

/// A set of locks, one for each key, so that tasks with different keys don't wait for each other.
package final class AsyncLocks<Key: Hashable & Sendable>: Sendable {
  private let locks = Mutex<[Key: (lock: AsyncLock, users: Int)]>([:])

  package init() {}

  /// Runs a closure while no other task holds the lock of the same key.
  package func withLock<Value>(
    _ key: Key, _ body: () async throws -> Value
  ) async rethrows -> Value {
    let lock = locks.withLock { locks in
      let lock = locks[key]?.lock ?? AsyncLock()
      locks[key] = (lock, (locks[key]?.users ?? 0) + 1)
      return lock
    }
    defer {
      locks.withLock { locks in
        let users = (locks[key]?.users ?? 1) - 1
        locks[key] = users > 0 ? (lock, users) : nil
      }
    }
    return try await lock.withLock(body)
  }
}
#endif
