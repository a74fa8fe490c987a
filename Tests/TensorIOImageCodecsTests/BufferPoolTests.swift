// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIOImageCodecs

struct BufferPoolTests {
  @Test func `a buffer is reused`() {
    let pool = BufferPool()
    let first = address(of: pool.buffer(byteCount: 100_000))
    #expect(pool.keptByteCount >= 100_000)
    let second = pool.buffer(byteCount: 90_000)
    #expect(address(of: second) == first)
    #expect(pool.keptByteCount == 0)
  }

  @Test func `a buffer has at least the requested size`() {
    let pool = BufferPool()
    for count in [0, 1, 4096, 5000, 1_000_000] {
      #expect(pool.buffer(byteCount: count).bytes.count >= count)
    }
  }

  @Test func `a pool keeps no more than its limits`() {
    let pool = BufferPool(maximumCount: 2, maximumByteCount: 50_000)
    var buffers = (0..<5).map { _ in pool.buffer(byteCount: 8192) }
    buffers.removeAll()
    #expect(pool.keptByteCount > 0 && pool.keptByteCount <= 50_000)
    buffers.append(pool.buffer(byteCount: 100_000))
    buffers.removeAll()
    #expect(pool.keptByteCount <= 50_000)
  }

  @Test func `many tasks can share a pool`() async {
    let pool = BufferPool()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let buffer = pool.buffer(byteCount: 1000 + round * 100)
            buffer.bytes.storeBytes(of: task, as: Int.self)
            #expect(buffer.bytes.load(as: Int.self) == task)
          }
        }
      }
    }
  }

  private func address(of buffer: PooledBuffer) -> Int {
    Int(bitPattern: buffer.bytes.baseAddress)
  }
}
