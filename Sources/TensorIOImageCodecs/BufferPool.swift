// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps a few big buffers, so that photo after photo is read into the same memory: a fresh buffer
/// costs a page fault for every 4 KB.
///
/// Buffers go back when their last reference goes. A pool keeps at most `maximumCount` of them and
/// `maximumByteCount` bytes; what does not fit is freed.
package final class BufferPool: Sendable {
  private let maximumCount: Int
  private let maximumByteCount: Int
  private let kept = Mutex(Kept())

  /// Makes an empty pool.
  package init(maximumCount: Int = 4, maximumByteCount: Int = 128_000_000) {
    self.maximumCount = maximumCount
    self.maximumByteCount = maximumByteCount
  }

  /// The bytes that are kept for later now.
  package var keptByteCount: Int {
    kept.withLock { $0.byteCount }
  }

  /// A buffer of at least that size; what is in it is anything.
  package func buffer(byteCount: Int) -> PooledBuffer {
    let reused = kept.withLock { $0.take(atLeast: byteCount) }
    guard let reused else {
      // Whole pages, and room for the next photo to be a little larger.
      let size = (byteCount + byteCount / 8 + 4095) / 4096 * 4096
      return PooledBuffer(Memory(.allocate(byteCount: size, alignment: 64)), pool: self)
    }
    return PooledBuffer(reused, pool: self)
  }

  fileprivate func takeBack(_ memory: Memory) {
    let refused = kept.withLock { kept in
      kept.add(memory)
      return kept.shrink(toCount: maximumCount, byteCount: maximumByteCount)
    }
    for memory in refused { memory.bytes.deallocate() }
  }

  deinit {
    for memory in kept.withLock({ $0.all }) { memory.bytes.deallocate() }
  }
}

/// Memory of a ``BufferPool``, which it goes back to.
package final class PooledBuffer {
  /// All of it, at least what was asked for.
  package var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  private let memory: Memory
  private let pool: BufferPool

  fileprivate init(_ memory: Memory, pool: BufferPool) {
    self.memory = memory
    self.pool = pool
  }

  deinit {
    pool.takeBack(memory)
  }
}

// Unchecked because the pointer has one owner at a time: the pool or a buffer.
private struct Memory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ bytes: UnsafeMutableRawBufferPointer) {
    self.bytes = bytes
  }
}

/// What a pool keeps, the latest last.
private struct Kept {
  var all: [Memory] = []

  var byteCount: Int { all.reduce(0) { $0 + $1.bytes.count } }

  /// The smallest that suffices.
  mutating func take(atLeast byteCount: Int) -> Memory? {
    let fitting = all.indices.filter { all[$0].bytes.count >= byteCount }
    return fitting.min { all[$0].bytes.count < all[$1].bytes.count }.map { all.remove(at: $0) }
  }

  mutating func add(_ memory: Memory) {
    all.append(memory)
  }

  /// Takes out the oldest until the limits hold.
  mutating func shrink(toCount count: Int, byteCount: Int) -> [Memory] {
    var refused: [Memory] = []
    while all.count > count || self.byteCount > byteCount {
      refused.append(all.removeFirst())
    }
    return refused
  }
}
