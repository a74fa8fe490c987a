// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import NIOCore
import Synchronization
import TensorIO

/// Runs blocking work on a few threads of its own.
///
/// If all threads are busy, work waits. The sources of work take turns, and the work of a source is
/// done in first-in, first-out order. A source that sends more than others therefore doesn't slow
/// them down. If too much work waits already, new work is refused immediately, so that neither
/// memory use nor response times grow without limit.
final class WorkQueue: Sendable {
  /// Does work, and returns a closure that passes on its result.
  typealias Job = @Sendable () -> @Sendable () -> Void

  /// A job that waits, and what ends it if nobody needs it any longer.
  private struct Waiting {
    let id: UInt64
    let job: Job
    let drop: @Sendable () -> Void

    /// Whether nobody waits for the job, and it can't be dropped.
    var isSubmitted: Bool { id == 0 }
  }

  private struct State {
    /// The waiting jobs of each source.
    ///
    /// A source without any isn't in it.
    var waiting: [String: CircularBuffer<Waiting>] = [:]
    /// The sources that have waiting jobs, the next one first.
    var turns: CircularBuffer<String> = []
    var count = 0
    /// The number of these jobs that nobody waits for.
    var submitted = 0
    var idle: [DispatchQueue]

    mutating func append(_ work: Waiting, from source: String) {
      if waiting[source] == nil { turns.append(source) }
      waiting[source, default: []].append(work)
      count += 1
      if work.isSubmitted { submitted += 1 }
    }

    mutating func popFirst() -> Job? {
      guard let source = turns.popFirst(), let work = waiting[source]?.popFirst() else {
        return nil
      }
      count -= 1
      if work.isSubmitted { submitted -= 1 }
      if waiting[source]?.isEmpty == false {
        turns.append(source)
      } else {
        waiting[source] = nil
      }
      return work.job
    }

    mutating func remove(_ id: UInt64, from source: String) -> Waiting? {
      guard let index = waiting[source]?.firstIndex(where: { $0.id == id }) else { return nil }
      count -= 1
      defer {
        if waiting[source]?.isEmpty == true {
          waiting[source] = nil
          turns.removeAll { $0 == source }
        }
      }
      return waiting[source]?.remove(at: index)
    }
  }

  private let state: Mutex<State>
  private let limit: Int
  private let lastID = Atomic<UInt64>(0)

  /// Makes a queue that runs as many jobs at once as there are threads, and lets `limit` jobs wait.
  init(threads: Int, limit: Int) {
    self.limit = limit
    // A serial queue gets its own thread, however few processors there are.
    state = Mutex(
      State(idle: (0..<threads).map { DispatchQueue(label: "tensorio.web.work.\($0)") }))
  }

  /// The number of jobs whose results someone waits for, and that wait for a thread.
  var waitingCount: Int { state.withLock { $0.count - $0.submitted } }

  /// Runs a job when it is its turn.
  ///
  /// If the task is cancelled, a job that waits is dropped, and one that runs finds its token
  /// cancelled.
  ///
  /// - Parameters:
  ///   - source: The name of the source, of which others are independent; work without a name is
  ///     one source.
  ///   - deadline: When nobody needs the result any longer.
  ///   - job: The work.
  /// - Returns: The job's result.
  /// - Throws: The job's error, ``WebError/tooBusy``, ``WebError/deadlineExceeded``, or
  ///   `CancellationError`.
  func run<Result: Sendable>(
    from source: String = "", deadline: ContinuousClock.Instant? = nil,
    _ job: @escaping @Sendable (CancellationToken) throws -> Result
  ) async throws -> Result {
    let token = CancellationToken(deadline: deadline)
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let work = Waiting(id: id) {
          let result = Swift.Result {
            try token.check()
            return try job(token)
          }
          return { continuation.resume(with: result) }
        } drop: {
          continuation.resume(throwing: CancellationError())
        }
        if !accept(work, from: source) { continuation.resume(throwing: WebError.tooBusy) }
        // The task may have been cancelled before the job could be found.
        if Task.isCancelled { drop(id, from: source) }
      }
    } onCancel: {
      token.cancel()
      drop(id, from: source)
    }
  }

  func run<Result: Sendable>(
    from source: String = "", _ job: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await run(from: source) { _ in try job() }
  }

  /// Runs a job when it is its turn, and doesn't wait for it.
  ///
  /// - Returns: Whether the queue takes the job; it doesn't when too much work waits.
  func submit(_ job: @escaping Job) -> Bool {
    accept(Waiting(id: 0, job: job, drop: {}), from: "")
  }

  private func accept(_ work: Waiting, from source: String) -> Bool {
    let (isAccepted, queue) = state.withLock { state -> (Bool, DispatchQueue?) in
      if let queue = state.idle.popLast() { return (true, queue) }
      guard state.count < limit else { return (false, nil) }
      state.append(work, from: source)
      return (true, nil)
    }
    if let queue { queue.async { self.work(on: queue, work.job) } }
    return isAccepted
  }

  private func drop(_ id: UInt64, from source: String) {
    // The job's task goes on outside of the lock.
    let dropped = state.withLock { $0.remove(id, from: source) }
    dropped?.drop()
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

extension CancellationToken {
  /// Throws an error if nobody needs the result any longer.
  func check() throws {
    if isExpired { throw WebError.deadlineExceeded }
    if isCancelled { throw CancellationError() }
  }
}
#endif
