// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// A cache of values that were read recently; a value is removed when it changes.
///
/// The cache has two halves, so that it can discard values without tracking each use. Requested
/// values go into the younger half. When that half is full, it becomes the older one, and the
/// values of the previous older half are discarded.
final class ReadCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var young: [Key: (value: Value, size: Int)] = [:]
    var old: [Key: (value: Value, size: Int)] = [:]
    var youngSize = 0
    /// The number of changes; a value that was read before a change may be stale after it.
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

  /// Creates a cache whose values have at most a total size in bytes.
  init(capacity: Int) { halfCapacity = capacity / 2 }

  /// Returns a value; nil if it wasn't read, or not recently.
  subscript(key: Key) -> Value? {
    state.withLock { state in
      if let entry = state.young[key] { return entry.value }
      guard let entry = state.old.removeValue(forKey: key) else { return nil }
      state.insert(entry, for: key, halfCapacity: halfCapacity)
      return entry.value
    }
  }

  /// The number of values that were removed because of a change; get it before you read a value.
  var changes: Int { state.withLock { $0.changes } }

  /// Adds a value, unless any value was removed meanwhile, because the new one may then be stale.
  ///
  /// - Parameters:
  ///   - value: The value that was read.
  ///   - key: The value's key.
  ///   - size: The value's size in bytes.
  ///   - changes: The value of ``changes`` before the read.
  func keep(_ value: Value, for key: Key, size: Int, since changes: Int) {
    guard size <= halfCapacity else { return }
    state.withLock { state in
      guard state.changes == changes else { return }
      state.insert((value, size), for: key, halfCapacity: halfCapacity)
    }
  }

  /// Removes a value; call it after the change and before anybody is notified of it.
  func forget(_ key: Key) {
    state.withLock { state in
      state.changes += 1
      state.old[key] = nil
      if let former = state.young.removeValue(forKey: key) { state.youngSize -= former.size }
    }
  }
}
#endif
