// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import NIOCore
import Synchronization

/// Runs blocking work on a few threads of its own, in first-in, first-out order.
///
/// If all threads are busy, work waits. If too much work waits already, new work is refused
/// immediately, so that neither memory use nor response times grow without limit.
final class WorkQueue: Sendable {
  private typealias Job = @Sendable () -> Void

  private struct State {
    var waiting: CircularBuffer<Job> = []
    var idle: [DispatchQueue]
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

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      let isAccepted = submit { continuation.resume(with: Swift.Result { try job() }) }
      if !isAccepted { continuation.resume(throwing: WebError.tooBusy) }
    }
  }

  private func submit(_ job: @escaping Job) -> Bool {
    let (isAccepted, queue) = state.withLock { state -> (Bool, DispatchQueue?) in
      if let queue = state.idle.popLast() { return (true, queue) }
      guard state.waiting.count < limit else { return (false, nil) }
      state.waiting.append(job)
      return (true, nil)
    }
    if let queue {
      queue.async {
        job()
        self.work(on: queue)
      }
    }
    return isAccepted
  }

  private func work(on queue: DispatchQueue) {
    while true {
      let job = state.withLock { state -> Job? in
        if let job = state.waiting.popFirst() { return job }
        state.idle.append(queue)
        return nil
      }
      guard let job else { return }
      job()
    }
  }
}
#endif
