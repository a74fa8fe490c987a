// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Synchronization
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct WorkQueueTests {
  /// Counts the running jobs and their maximum.
  private final class Counter: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func begin() {
      counts.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }

    func end() { counts.withLock { $0.now -= 1 } }
  }

  @Test func `all jobs run, and never more at once than there are threads`() async throws {
    let queue = WorkQueue(threads: 3, limit: 1000)
    let counter = Counter()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<500 {
        group.addTask {
          try await queue.run {
            counter.begin()
            counter.end()
            return number
          }
        }
      }
      let sum = try await group.reduce(0, +)
      #expect(sum == 500 * 499 / 2)
    }
    #expect((1...3).contains(counter.most))
  }

  @Test func `whoever has a result can send more work at once`() async throws {
    let queue = WorkQueue(threads: 1, limit: 0)
    for number in 0..<5000 { try await #expect(queue.run { number } == number) }
    for _ in 0..<1000 {
      await #expect(throws: CancellationError.self) {
        try await queue.run { throw CancellationError() }
      }
    }
  }

  /// Starts a job that waits for a gate, and returns as soon as the job runs.
  private static func hold(
    _ queue: WorkQueue, until gate: DispatchSemaphore
  ) async -> Task<Void, any Error> {
    let (starts, start) = AsyncStream<Void>.makeStream()
    let job = Task {
      try await queue.run {
        start.yield()
        gate.wait()
      }
    }
    for await _ in starts { break }
    return job
  }

  @Test func `a job over the limit is rejected at once`() async throws {
    let queue = WorkQueue(threads: 1, limit: 2)
    let gate = DispatchSemaphore(value: 0)
    let first = await Self.hold(queue, until: gate)
    async let second = queue.run { 2 }
    async let third = queue.run { 3 }
    while queue.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    let error = await #expect(throws: WebError.self) { try await queue.run { 4 } }
    #expect(error?.code == "too_busy")
    gate.signal()
    try await first.value
    let rest = try await [second, third]
    #expect(rest == [2, 3])
  }

  @Test func `a finished job releases its resources even while others wait`() async throws {
    final class Body: Sendable {}
    let queue = WorkQueue(threads: 1, limit: 10)
    let gate = DispatchSemaphore(value: 0)
    let first = await Self.hold(queue, until: gate)
    weak var body: Body?
    func waiting() -> Task<Void, any Error> {
      let held = Body()
      body = held
      return Task { try await queue.run { withExtendedLifetime(held) {} } }
    }
    let second = waiting()
    while queue.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
    let third = Task { try await queue.run { gate.wait() } }
    while queue.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    let fourth = Task { try await queue.run {} }
    while queue.waitingCount < 3 { try await Task.sleep(for: .milliseconds(1)) }
    gate.signal()
    try await first.value
    try await second.value
    // Now the third job runs and the fourth one waits.
    for _ in 0..<100_000 where body != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(body == nil && queue.waitingCount == 1)
    gate.signal()
    try await third.value
    try await fourth.value
  }

  @Test func `sources take turns, however much one of them sends`() async throws {
    let queue = WorkQueue(threads: 1, limit: 100)
    let gate = DispatchSemaphore(value: 0)
    let first = await Self.hold(queue, until: gate)
    final class Order: Sendable {
      let names = Mutex<[String]>([])
    }
    let order = Order()
    let names = ["a", "a", "a", "a", "b", "b", "", "c"]
    var jobs: [Task<Void, any Error>] = []
    for (position, name) in names.enumerated() {
      jobs.append(
        Task { try await queue.run(from: name) { order.names.withLock { $0.append(name) } } })
      while queue.waitingCount <= position { try await Task.sleep(for: .milliseconds(1)) }
    }
    gate.signal()
    try await first.value
    for job in jobs { try await job.value }
    #expect(order.names.withLock { $0 } == ["a", "b", "", "c", "a", "b", "a", "a"])
    #expect(queue.waitingCount == 0)
  }

  @Test func `a job whose task is cancelled is dropped while it waits`() async throws {
    let queue = WorkQueue(threads: 1, limit: 2)
    let gate = DispatchSemaphore(value: 0)
    let first = await Self.hold(queue, until: gate)
    let dropped = Task { try await queue.run(from: "a") { Issue.record("A dropped job ran.") } }
    while queue.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
    async let kept = queue.run(from: "b") { 3 }
    while queue.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    dropped.cancel()
    await #expect(throws: CancellationError.self) { try await dropped.value }
    #expect(queue.waitingCount == 1)
    async let late = queue.run(from: "a") { 4 }
    while queue.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    gate.signal()
    try await first.value
    let rest = try await [kept, late]
    #expect(rest == [3, 4])
  }

  @Test func `a job finds out that its task was cancelled`() async throws {
    let queue = WorkQueue(threads: 1, limit: 2)
    let (starts, start) = AsyncStream<Void>.makeStream()
    let job = Task {
      try await queue.run { (token: CancellationToken) in
        start.yield()
        while true { try token.check() }
      }
    }
    for await _ in starts { break }
    job.cancel()
    await #expect(throws: CancellationError.self) { try await job.value }
    let past = ContinuousClock.now
    let error = await #expect(throws: WebError.self) {
      try await queue.run(deadline: past) { _ in Issue.record("A job ran after its deadline.") }
    }
    #expect(error?.code == "deadline_exceeded")
  }

  @Test func `jobs that nobody waits for aren't counted`() async throws {
    let queue = WorkQueue(threads: 1, limit: 10)
    let gate = DispatchSemaphore(value: 0)
    let first = await Self.hold(queue, until: gate)
    for _ in 0..<3 { #expect(queue.submit { {} }) }
    async let second = queue.run { 2 }
    while queue.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(queue.waitingCount == 1)
    gate.signal()
    try await first.value
    #expect(try await second == 2)
    #expect(queue.waitingCount == 0)
  }

  @Test func `errors of a job are thrown to its caller`() async throws {
    let queue = WorkQueue(threads: 1, limit: 1)
    await #expect(throws: WebError.self) {
      try await queue.run { throw WebError.badRequest("no") }
    }
    #expect(try await queue.run { 1 } == 1)
  }
}
#endif
