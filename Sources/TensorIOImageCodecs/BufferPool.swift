// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps a few large buffers, so that image after image is read into the same memory.
///
/// Reusing them is faster, because new memory costs a page fault for every 4 KB.
///
/// A buffer returns to the pool when its last reference is released. The pool keeps at most
/// `maximumCount` buffers with `maximumByteCount` bytes in total, and frees the rest.
package final class BufferPool: Sendable {
  private let maximumCount: Int
  private let maximumByteCount: Int
  private let kept = Mutex(Kept())

  package init(maximumCount: Int = 4, maximumByteCount: Int = 128_000_000) {
    self.maximumCount = maximumCount
    self.maximumByteCount = maximumByteCount
  }

  /// The number of bytes that the pool currently keeps for reuse.
  var keptByteCount: Int { kept.withLock { $0.byteCount } }

  /// Returns a buffer of at least `byteCount` bytes with undefined contents.
  package func buffer(byteCount: Int) -> PooledBuffer {
    let reused = kept.withLock { $0.take(atLeast: byteCount) }
    guard let reused else {
      // Allocate whole pages, with some room in case the next image is a little larger.
      let size = (byteCount + byteCount / 8 + 4095) / 4096 * 4096
      return PooledBuffer(Memory(bytes: .allocate(byteCount: size, alignment: 64)), pool: self)
    }
    return PooledBuffer(reused, pool: self)
  }

  fileprivate func takeBack(_ memory: Memory) {
    let refused = kept.withLock { kept in
      kept.all.append(memory)
      return kept.shrink(toCount: maximumCount, byteCount: maximumByteCount)
    }
    for memory in refused { memory.bytes.deallocate() }
  }

  deinit {
    for memory in kept.withLock({ $0.all }) { memory.bytes.deallocate() }
  }
}

/// Memory of a ``BufferPool``, which returns to the pool when it is released.
package final class PooledBuffer {
  /// The whole buffer, with at least as many bytes as were requested.
  package var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  private let memory: Memory
  private let pool: BufferPool

  fileprivate init(_ memory: Memory, pool: BufferPool) {
    self.memory = memory
    self.pool = pool
  }

  deinit { pool.takeBack(memory) }
}

// Unchecked because the pointer has one owner at a time: the pool or a buffer.
private struct Memory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
}

/// The buffers that a pool keeps, the most recent last.
private struct Kept {
  var all: [Memory] = []

  var byteCount: Int { all.reduce(0) { $0 + $1.bytes.count } }

  /// Removes and returns the smallest buffer that is large enough.
  mutating func take(atLeast byteCount: Int) -> Memory? {
    let fitting = all.indices.filter { all[$0].bytes.count >= byteCount }
    return fitting.min { all[$0].bytes.count < all[$1].bytes.count }.map { all.remove(at: $0) }
  }

  /// Removes and returns the oldest buffers until the limits hold.
  mutating func shrink(toCount count: Int, byteCount: Int) -> [Memory] {
    var refused: [Memory] = []
    while all.count > count || self.byteCount > byteCount {
      refused.append(all.removeFirst())
    }
    return refused
  }
}
