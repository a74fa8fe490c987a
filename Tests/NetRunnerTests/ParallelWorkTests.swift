// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import NetRunner

@Suite struct ParallelWorkTests {
  private struct Stop: Error {}

  @Test(arguments: [0, 1, 2, 7, 1000], [1, 2, 5])
  func `every item is processed once and received in order`(count: Int, threads: Int) throws {
    var received: [Int] = []
    try ParallelWork(count: count, threads: threads) { $0 * 3 }.run { index, output in
      #expect(output == index * 3)
      received.append(index)
    }
    #expect(received == Array(0..<count))
  }

  @Test func `an error that the receiver throws ends the work and is rethrown`() {
    let begun = Atomic<Int>(0)
    let work = ParallelWork(count: 100_000, threads: 4) { index in
      begun.add(1, ordering: .relaxed)
      return index
    }
    #expect(throws: Stop.self) {
      var count = 0
      try work.run { _, _ in
        count += 1
        if count == 10 { throw Stop() }
      }
    }
    #expect(begun.load(ordering: .relaxed) < 100)
  }

  @Test func `after the end, only items that were already started are received`() throws {
    var received = 0
    try ParallelWork(count: 100_000, threads: 3) { $0 }.run(
      until: { received >= 20 }, receive: { _, _ in received += 1 })
    #expect(received >= 20)
    #expect(received < 60)
  }

  @Test func `a slow receiver holds up the threads`() throws {
    let made = Atomic<Int>(0)
    try ParallelWork(count: 200, threads: 2) { index in
      made.add(1, ordering: .relaxed)
      return index
    }.run { index, _ in
      Thread.sleep(forTimeInterval: 0.0002)
      let ahead = made.load(ordering: .relaxed) - index
      #expect(ahead <= 16)
    }
  }

  @Test func `one slow item keeps the others from running far ahead`() throws {
    let made = Atomic<Int>(0)
    var aheadOfFirst = 0
    try ParallelWork(count: 500, threads: 3) { index in
      if index == 0 { Thread.sleep(forTimeInterval: 0.05) }
      made.add(1, ordering: .relaxed)
      return index
    }.run { index, _ in
      if index == 0 { aheadOfFirst = made.load(ordering: .relaxed) }
    }
    #expect(aheadOfFirst <= 16)
  }
}
