// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import NIOCore
import Synchronization

/// Runs blocking work on a few threads of its own.
///
/// If all threads are busy, work waits. The sources of work take turns, and the work of a source is
/// done in first-in, first-out order. A source that sends more than others therefore doesn't slow
/// them down. If too much work waits already, new work is refused immediately, so that neither
/// memory use nor response times grow without limit.
final class WorkQueue: Sendable {
  /// Does work, and returns a closure that passes on its result.
  typealias Job = @Sendable () -> @Sendable () -> Void

  private struct State {
    /// The waiting jobs of each source.
    ///
    /// A source without any isn't in it.
    var waiting: [String: CircularBuffer<Job>] = [:]
    /// The sources that have waiting jobs, the next one first.
    var turns: CircularBuffer<String> = []
    var count = 0
    var idle: [DispatchQueue]

    mutating func append(_ job: @escaping Job, from source: String) {
      if waiting[source] == nil { turns.append(source) }
      waiting[source, default: []].append(job)
      count += 1
    }

    mutating func popFirst() -> Job? {
      guard let source = turns.popFirst(), let job = waiting[source]?.popFirst() else { return nil }
      count -= 1
      if waiting[source]?.isEmpty == false {
        turns.append(source)
      } else {
        waiting[source] = nil
      }
      return job
    }
  }

  private let state: Mutex<State>
  private let limit: Int

  /// Makes a queue that runs as many jobs at once as there are threads, and lets `limit` jobs wait.
  init(threads: Int, limit: Int) {
    self.limit = limit
    // A serial queue gets its own thread, however few processors there are.
    state = Mutex(
      State(idle: (0..<threads).map { DispatchQueue(label: "tensorio.web.work.\($0)") }))
  }

  var waitingCount: Int { state.withLock { $0.count } }

  /// Runs a job when it is its turn.
  ///
  /// - Parameters:
  ///   - source: The name of the source, of which others are independent; work without a name is
  ///     one source.
  ///   - job: The work.
  /// - Returns: The job's result.
  /// - Throws: The job's error, or ``WebError/tooBusy``.
  func run<Result: Sendable>(
    from source: String = "", _ job: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let isAccepted = submit(from: source) {
        let result = Swift.Result { try job() }
        return { continuation.resume(with: result) }
      }
      if !isAccepted { continuation.resume(throwing: WebError.tooBusy) }
    }
  }

  /// Runs a job when it is its turn, and doesn't wait for it.
  ///
  /// - Returns: Whether the queue takes the job; it doesn't when too much work waits.
  func submit(from source: String = "", _ job: @escaping Job) -> Bool {
    let (isAccepted, queue) = state.withLock { state -> (Bool, DispatchQueue?) in
      if let queue = state.idle.popLast() { return (true, queue) }
      guard state.count < limit else { return (false, nil) }
      state.append(job, from: source)
      return (true, nil)
    }
    if let queue { queue.async { self.work(on: queue, job) } }
    return isAccepted
  }

  private func work(on queue: DispatchQueue, _ first: @escaping Job) {
    var next: Job? = first
    while let job = next {
      let passOn = job()
      // The thread is free before anyone has the result, so that whoever waited for it can send
      // more work.
      next = state.withLock { state in
        if let job = state.popFirst() { return job }
        state.idle.append(queue)
        return nil
      }
      passOn()
    }
  }
}
#endif
