// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Testing

@testable import ModelRepositoryServer

@Suite struct ReadCacheTests {
  private let cache = ReadCache<Int, String>(capacity: 100)

  private func keep(_ key: Int, _ value: String = "value", size: Int = 10) {
    cache.keep(value, for: key, size: size, since: cache.changes)
  }

  @Test func `what was read is there`() {
    #expect(cache[1] == nil)
    keep(1, "one")
    keep(2, "two")
    #expect(cache[1] == "one" && cache[2] == "two" && cache[3] == nil)
    keep(1, "other")
    #expect(cache[1] == "other")
  }

  @Test func `what was read before a change is not kept`() {
    let before = cache.changes
    cache.forget(2)
    cache.keep("stale", for: 1, size: 10, since: before)
    #expect(cache[1] == nil)
    keep(1)
    #expect(cache[1] != nil)
  }

  @Test func `what has changed is forgotten, wherever it lies`() {
    for key in 0..<9 { keep(key) }
    for key in 0..<9 { cache.forget(key) }
    #expect((0..<9).allSatisfy { cache[$0] == nil })
    // Nothing that was forgotten takes room.
    for key in 0..<5 { keep(key) }
    #expect((0..<5).allSatisfy { cache[$0] != nil })
  }

  @Test func `it never holds more than it may, and keeps what is asked for`() {
    for key in 0..<1000 {
      keep(key)
      #expect(cache[key] != nil)
    }
    #expect((0..<1000).count { cache[$0] != nil } <= 10)
    keep(-1)
    for key in 0..<1000 {
      keep(key)
      #expect(cache[-1] != nil)
    }
    keep(-2, size: 51)
    #expect(cache[-2] == nil)
  }
}
#endif
