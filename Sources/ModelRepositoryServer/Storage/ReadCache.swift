// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// What was read last, in memory, until it changes.
///
/// Two halves make room without a list of uses: what is asked for goes into the younger one; once
/// that is full it becomes the older one, and what nobody asked for since goes.
final class ReadCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var young: [Key: (value: Value, size: Int)] = [:]
    var old: [Key: (value: Value, size: Int)] = [:]
    var youngSize = 0
    /// Counts the changes: what was read before one may be stale after it.
    var changes = 0

    mutating func insert(_ entry: (value: Value, size: Int), for key: Key, halfCapacity: Int) {
      if youngSize + entry.size > halfCapacity {
        (old, young, youngSize) = (young, [:], 0)
      }
      if let former = young.updateValue(entry, forKey: key) { youngSize -= former.size }
      youngSize += entry.size
    }
  }

  private let state = Mutex(State())
  private let halfCapacity: Int

  /// - Parameter capacity: How many bytes it may have.
  init(capacity: Int) { halfCapacity = capacity / 2 }

  /// What is there; nil where it was not read, or not lately.
  subscript(key: Key) -> Value? {
    state.withLock { state in
      if let entry = state.young[key] { return entry.value }
      guard let entry = state.old.removeValue(forKey: key) else { return nil }
      state.insert(entry, for: key, halfCapacity: halfCapacity)
      return entry.value
    }
  }

  /// How often something was forgotten; to be asked before something is read.
  var changes: Int { state.withLock { $0.changes } }

  /// Keeps what was read, unless something was forgotten meanwhile: it may be stale.
  ///
  /// - Parameters:
  ///   - value: What was read.
  ///   - key: Its name.
  ///   - size: How many bytes it takes.
  ///   - changes: What ``changes`` was before it was read.
  func keep(_ value: Value, for key: Key, size: Int, since changes: Int) {
    guard size <= halfCapacity else { return }
    state.withLock { state in
      guard state.changes == changes else { return }
      state.insert((value, size), for: key, halfCapacity: halfCapacity)
    }
  }

  /// Forgets what has changed; called after the change, and before anybody is told of it.
  func forget(_ key: Key) {
    state.withLock { state in
      state.changes += 1
      state.old[key] = nil
      if let former = state.young.removeValue(forKey: key) { state.youngSize -= former.size }
    }
  }
}
#endif
