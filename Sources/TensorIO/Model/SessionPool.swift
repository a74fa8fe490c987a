// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Lends sessions, each to one borrower at a time.
///
/// Callers wait for a session in first-in, first-out order.
final class SessionPool: Sendable {
  /// A session that is passed between threads.
  ///
  /// `@unchecked Sendable` because the pool lends it to one borrower at a time.
  struct Lent: @unchecked Sendable {
    let session: any Session
    /// The queue for runs that tasks start.
    ///
    /// A serial queue gets a thread at once. A concurrent or global queue has only as many threads
    /// as there are processors, and shares them with Swift's tasks, which a run would block.
    let queue: DispatchQueue
  }

  private enum Waiter {
    case thread(Handover)
    case task(CheckedContinuation<Lent, any Error>, id: Int)
  }

  /// Passes a session to a waiting thread.
  private final class Handover: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let lent = Mutex<Lent?>(nil)

    func wait() -> Lent {
      semaphore.wait()
      guard let lent = lent.withLock({ $0 }) else {
        preconditionFailure("A waiter was woken without a session.")
      }
      return lent
    }

    func give(_ session: Lent) {
      lent.withLock { $0 = session }
      semaphore.signal()
    }
  }

  private struct State {
    var idle: [Lent]
    var waiters: [Waiter] = []
    var nextID = 0
  }

  private let state: Mutex<State>

  init(_ sessions: sending [any Session]) {
    let idle = sessions.map {
      Lent(session: $0, queue: DispatchQueue(label: "tensorio.session"))
    }
    state = Mutex(State(idle: idle))
  }

  var waiting: Int { state.withLock { $0.waiters.count } }

  /// Calls a closure with a session, and waits for one if all are lent.
  @inline(__always)
  func withSession<Result>(_ body: (any Session) throws -> Result) rethrows -> Result {
    let lent = borrow()
    defer { giveBack(lent) }
    return try body(lent.session)
  }

  /// Calls a closure with a session on a Dispatch thread, never on the cooperative pool.
  func withSession<Result: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let lent = try await borrow()
    return try await withCheckedThrowingContinuation { continuation in
      lent.queue.async {
        let result = Swift.Result { try body(lent.session) }
        self.giveBack(lent)
        continuation.resume(with: result)
      }
    }
  }

  // MARK: - Lending

  private func borrow() -> Lent {
    switch state.withLock({ state -> Borrowing in
      if let lent = state.idle.popLast() { return .now(lent) }
      let handover = Handover()
      state.waiters.append(.thread(handover))
      return .later(handover)
    }) {
    case .now(let lent): return lent
    case .later(let handover): return handover.wait()
    }
  }

  private enum Borrowing {
    case now(Lent)
    case later(Handover)
  }

  private func borrow() async throws -> Lent {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let now: Result<Lent, any Error>? = state.withLock { state in
          // If the task was cancelled before this point, `cancel(_:)` found no waiter. If it is
          // cancelled later, `cancel(_:)` finds the waiter added here.
          if Task.isCancelled { return .failure(CancellationError()) }
          if let lent = state.idle.popLast() { return .success(lent) }
          state.waiters.append(.task(continuation, id: id))
          return nil
        }
        if let now { continuation.resume(with: now) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    let continuation = state.withLock { state -> CheckedContinuation<Lent, any Error>? in
      for (index, waiter) in state.waiters.enumerated() {
        guard case .task(let continuation, id) = waiter else { continue }
        state.waiters.remove(at: index)
        return continuation
      }
      return nil
    }
    continuation?.resume(throwing: CancellationError())
  }

  private func giveBack(_ lent: Lent) {
    let waiter = state.withLock { state -> Waiter? in
      guard state.waiters.isEmpty else { return state.waiters.remove(at: 0) }
      state.idle.append(lent)
      return nil
    }
    switch waiter {
    case .thread(let handover): handover.give(lent)
    case .task(let continuation, _): continuation.resume(returning: lent)
    case nil: break
    }
  }
}

/// Runs blocking work on a Dispatch thread instead of the cooperative pool.
///
/// Each call uses its own serial queue, which gets a thread at once. On Linux, the global queues
/// have only as many threads as there are processors, and Swift's tasks run on those.
package enum BlockingWork {
  package static func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "tensorio.blocking").async {
        continuation.resume(with: Swift.Result { try work() })
      }
    }
  }
}
