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

  @Test func `a value that was kept is found`() {
    #expect(cache[1] == nil)
    keep(1, "one")
    keep(2, "two")
    #expect(cache[1] == "one" && cache[2] == "two" && cache[3] == nil)
    keep(1, "other")
    #expect(cache[1] == "other")
  }

  @Test func `a value that was read before a change isn't kept`() {
    let before = cache.changes
    cache.forget(2)
    cache.keep("stale", for: 1, size: 10, since: before)
    #expect(cache[1] == nil)
    keep(1)
    #expect(cache[1] != nil)
  }

  @Test func `changed values are forgotten wherever they are stored`() {
    for key in 0..<9 { keep(key) }
    for key in 0..<9 { cache.forget(key) }
    #expect((0..<9).allSatisfy { cache[$0] == nil })
    // Forgotten values don't take up space.
    for key in 0..<5 { keep(key) }
    #expect((0..<5).allSatisfy { cache[$0] != nil })
  }

  @Test func `the cache stays within its capacity and keeps values that are read`() {
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
