// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// A set of locks, one for each key, so that tasks with different keys don't wait for each other.
final class AsyncLocks<Key: Hashable & Sendable>: Sendable {
  private let locks = Mutex<[Key: (lock: AsyncLock, users: Int)]>([:])

  /// Runs a closure while no other task holds the lock of the same key.
  func withLock<Value>(
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
