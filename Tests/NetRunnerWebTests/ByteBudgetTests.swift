// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization
import Testing

@testable import NetRunnerWeb

@Suite struct ByteBudgetTests {
  private final class Watch: Sendable {
    let held = Mutex((now: 0, most: 0, done: 0))
  }

  @Test func `requests wait for memory, and the budget is never exceeded`() async throws {
    // On a busy machine, the last request can wait for minutes.
    let budget = ByteBudget(total: 100, limit: 100, patience: .seconds(3600))
    let watch = Watch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let count = 10 + number % 7 * 15
          try await budget.withBytes(count) {
            watch.held.withLock {
              $0.now += count
              $0.most = max($0.most, $0.now)
            }
            try await Task.sleep(for: .milliseconds(5))
            watch.held.withLock {
              $0.now -= count
              $0.done += 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(watch.held.withLock { $0.most } <= 100)
    #expect(watch.held.withLock { $0.done } == 40)
  }

  @Test func `a request that waits too long or behind too many others is rejected`() async throws {
    let budget = ByteBudget(total: 100, limit: 1, patience: .milliseconds(100))
    try await budget.withBytes(1000) {
      let first = Task { try await budget.withBytes(1) {} }
      try await Task.sleep(for: .milliseconds(20))
      await #expect(throws: WebError.self) { try await budget.withBytes(1) {} }
      await #expect(throws: WebError.self) { try await first.value }
    }
    try await budget.withBytes(100) {}
  }

  @Test func `those behind a request that gives up go on if there is room for them`() async throws {
    let budget = ByteBudget(total: 100, limit: 8, patience: .seconds(3600))
    try await budget.withBytes(50) {
      let large = Task { try await budget.withBytes(80) {} }
      while budget.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      let small = Task { try await budget.withBytes(10) {} }
      while budget.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
      large.cancel()
      await #expect(throws: WebError.self) { try await large.value }
      try await small.value
    }
  }

  @Test func `incomplete requests that fill the budget don't wait for each other`() async throws {
    let budget = ByteBudget(total: 100, limit: 100, patience: .seconds(3600))
    let watch = Watch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        group.addTask {
          try await budget.withReservation { memory in
            for _ in 0..<6 {
              try await memory.grow(by: 10)
              // The others take the rest meanwhile.
              try await Task.sleep(for: .milliseconds(5))
            }
            watch.held.withLock { $0.done += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(watch.held.withLock { $0.done } == 10)
    #expect(budget.waitingCount == 0)
    // All of the budget is free again.
    try await budget.withBytes(100) {}
  }

  @Test func `a cancelled request stops waiting`() async throws {
    let budget = ByteBudget(total: 1, limit: 8)
    try await budget.withBytes(1) {
      let task = Task { try await budget.withBytes(1) {} }
      try await Task.sleep(for: .milliseconds(20))
      task.cancel()
      await #expect(throws: WebError.self) { try await task.value }
    }
  }
}
#endif
