// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TensorIOTesting
import TestSupport
import Testing

@testable import TensorIO

@Suite struct SessionPoolTests {
  private func pool(_ count: Int) throws -> SessionPool {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "model")
    let model = try EchoBackend([.vectors]).loadModel(at: path, for: .predict)
    return SessionPool(
      try (0..<count).map { _ in try model.makeSession(signature: 0, options: SessionOptions()) })
  }

  /// A session that stays lent until the test returns it.
  private struct Loan {
    let task: Task<Void, any Error>
    let end = DispatchSemaphore(value: 0)

    init(of pool: SessionPool) async {
      let begun = DispatchSemaphore(value: 0)
      let end = end
      task = Task {
        try await pool.withSession { _ in
          begun.signal()
          end.wait()
        }
      }
      await onThread { begun.wait() }
    }

    func giveBack() async throws {
      end.signal()
      try await task.value
    }
  }

  /// Waits until the queue has this many borrowers.
  private func waitForQueue(_ count: Int, of pool: SessionPool) async throws {
    try #require(try await eventually { pool.waiting == count })
  }

  @Test func `tasks and threads get sessions in the order in which they wait`() async throws {
    let pool = try pool(1)
    let loan = await Loan(of: pool)
    let order = Shared<[Int]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let note: @Sendable (any Session) -> Void = { _ in order.change { $0.append(number) } }
          if number.isMultiple(of: 2) {
            try await pool.withSession(note)
          } else {
            try await onThread { Result { try pool.withSession(note) } }.get()
          }
        }
        try await waitForQueue(number + 1, of: pool)
      }
      try await loan.giveBack()
      try await group.waitForAll()
    }
    #expect(order.value == Array(0..<8))
  }

  @Test func `a cancelled waiter leaves the queue, and the others still get sessions`() async throws
  {
    let pool = try pool(1)
    let loan = await Loan(of: pool)
    let order = Shared<[Int]>([])
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<3 {
      tasks.append(
        Task { try await pool.withSession { _ in order.change { $0.append(number) } } })
      try await waitForQueue(number + 1, of: pool)
    }
    tasks[1].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    #expect(pool.waiting == 2)
    try await loan.giveBack()
    try await tasks[0].value
    try await tasks[2].value
    #expect(order.value == [0, 2])
  }

  @Test func `a task that was cancelled earlier doesn't run`() async throws {
    let pool = try pool(1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await pool.withSession { (_: any Session) -> Void in
        Issue.record("A cancelled task ran.")
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await pool.withSession { _ in }
  }

  @Test func `no session is lost, whenever a task is cancelled`() async throws {
    let pool = try pool(2)
    let done = Shared(0)
    await withTaskGroup(of: Void.self) { group in
      for round in 0..<400 {
        group.addTask {
          let task = Task {
            try await pool.withSession { _ in done.change { $0 += 1 } }
          }
          if round.isMultiple(of: 2) {
            for _ in 0..<(round % 7) { await Task.yield() }
            task.cancel()
          }
          _ = await task.result
        }
      }
    }
    #expect(done.value >= 200)
    #expect(pool.waiting == 0)
    // Both sessions are available: neither loan waits.
    let one = await Loan(of: pool)
    let two = await Loan(of: pool)
    try await one.giveBack()
    try await two.giveBack()
  }

  @Test func `a session is returned when its borrower throws`() throws {
    let pool = try pool(1)
    for _ in 0..<3 {
      #expect(throws: CancellationError.self) {
        try pool.withSession { _ in throw CancellationError() }
      }
    }
    #expect(try pool.withSession { _ in 42 } == 42)
  }

  @Test func `a session is returned when its task throws`() async throws {
    let pool = try pool(1)
    await #expect(throws: TensorIOError.self) {
      try await pool.withSession { _ in throw TensorIOError(.inferenceFailed, "Broken.") }
    }
    let number = try await pool.withSession { _ in 42 }
    #expect(number == 42)
  }

  @Test func `blocking runs start at once and don't block the cooperative pool`() async throws {
    // More threads than Swift's tasks share, and than Dispatch gives to queues that share its
    // threads, but far fewer than the 255 that all queues together get.
    let count = ProcessInfo.processInfo.activeProcessorCount + 40
    let pool = try pool(count)
    let begun = Shared(0)
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          try await pool.withSession { _ in
            begun.change { $0 += 1 }
            gate.wait()
          }
        }
      }
      // This task couldn't continue if the runs blocked the threads that tasks share.
      #expect(try await eventually { begun.value == count })
      for _ in 0..<count { gate.signal() }
      try await group.waitForAll()
    }
  }
}
