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
  /// Why a borrower got no session.
  enum Failure: Error {
    /// So many others wait already.
    case overloaded(waiting: Int, sessions: Int)
    /// The deadline has passed.
    case expired
  }

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
    case task(id: Int, start: @Sendable (Lent) -> Void)
  }

  /// Passes a session to a waiting thread.
  private final class Handover: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let lent = Mutex<Lent?>(nil)

    func wait() -> Lent {
      semaphore.wait()
      return taken()
    }

    /// Waits at most until a time; returns nil if no session came.
    func wait(until deadline: ContinuousClock.Instant) -> Lent? {
      guard semaphore.wait(timeout: .at(deadline)) == .success else { return nil }
      return taken()
    }

    private func taken() -> Lent {
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
  let sessions: Int
  private let mostWaiting: Int

  /// Makes a pool of sessions, for which at most so many borrowers may wait.
  init(_ sessions: sending [any Session], mostWaiting: Int = .max) {
    let idle = sessions.map {
      Lent(session: $0, queue: DispatchQueue(label: "tensorio.session"))
    }
    self.sessions = idle.count
    self.mostWaiting = mostWaiting
    state = Mutex(State(idle: idle))
  }

  var waiting: Int { state.withLock { $0.waiters.count } }
  /// The number of lent sessions.
  var running: Int { sessions - state.withLock { $0.idle.count } }

  // MARK: - Threads

  /// Calls a closure with a session, and waits for one if all are lent.
  ///
  /// - Throws: ``Failure``, and what the closure throws.
  @inline(__always)
  func withSession<Result>(
    until deadline: ContinuousClock.Instant? = nil, _ body: (any Session) throws -> Result
  ) throws -> Result {
    let lent =
      if let idle = state.withLock({ $0.idle.popLast() }) { idle } else {
        try wait(until: deadline)
      }
    defer { giveBack(lent) }
    return try body(lent.session)
  }

  private enum Borrowing {
    case now(Lent)
    case later(Handover)
  }

  private func wait(until deadline: ContinuousClock.Instant?) throws -> Lent {
    let borrowing = try state.withLock { state throws(Failure) -> Borrowing in
      if let lent = state.idle.popLast() { return .now(lent) }
      try checkRoom(state)
      let handover = Handover()
      state.waiters.append(.thread(handover))
      return .later(handover)
    }
    switch borrowing {
    case .now(let lent): return lent
    case .later(let handover):
      guard let deadline else { return handover.wait() }
      if let lent = handover.wait(until: deadline) { return lent }
      if !remove({ if case .thread(let other) = $0 { other === handover } else { false } }) {
        // A session came at the last moment, and another borrower gets it.
        giveBack(handover.wait())
      }
      throw Failure.expired
    }
  }

  // MARK: - Tasks

  /// Calls a closure with a session on a Dispatch thread, never on the cooperative pool.
  ///
  /// - Parameters:
  ///   - request: Ends the wait, and the run as far as the runtime can. The task goes on at once, and
  ///     the session is lent until the run has ended. Without a request, a task that is cancelled
  ///     only leaves the queue, and a run that has begun is completed.
  ///   - body: Takes the session.
  /// - Returns: What the closure returns.
  /// - Throws: ``Failure``, `CancellationError`, and what the closure throws.
  func withSession<Value: Sendable>(
    for request: RunRequest? = nil, _ body: @escaping @Sendable (any Session) throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let pending = PendingRun<Value>(endsEarly: request != nil)
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let timer = request?.deadline.map { deadline in
      pending.giveUp(
        at: deadline, { Failure.expired }, cleanUp: { [weak self] in self?.removeTask(id) })
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard pending.wait(continuation) else { return }
        start(id, pending, body)
      }
    } onCancel: {
      pending.giveUp(CancellationError()) {
        request?.token.cancel()
        removeTask(id)
      }
    }
  }

  /// Runs a task's closure now, or when a session is available.
  private func start<Value: Sendable>(
    _ id: Int, _ pending: PendingRun<Value>,
    _ body: @escaping @Sendable (any Session) throws -> Value
  ) {
    let run: @Sendable (Lent) -> Void = { [self] lent in
      guard pending.begin() else { return giveBack(lent) }
      lent.queue.async {
        let result = Result { try body(lent.session) }
        self.giveBack(lent)
        pending.end(result)
      }
    }
    do {
      let lent = try state.withLock { state throws(Failure) -> Lent? in
        if let lent = state.idle.popLast() { return lent }
        try checkRoom(state)
        state.waiters.append(.task(id: id, start: run))
        return nil
      }
      if let lent { return run(lent) }
    } catch {
      return pending.end(.failure(error))
    }
    // If the task was given up before it was in the queue, nothing else removes it.
    if pending.hasEnded { removeTask(id) }
  }

  private func removeTask(_ id: Int) {
    _ = remove { if case .task(id, _) = $0 { true } else { false } }
  }

  // MARK: - Lending

  private func checkRoom(_ state: State) throws(Failure) {
    guard state.waiters.count < mostWaiting else {
      throw .overloaded(waiting: state.waiters.count, sessions: sessions)
    }
  }

  private func remove(_ isWanted: (Waiter) -> Bool) -> Bool {
    state.withLock { state in
      guard let index = state.waiters.firstIndex(where: isWanted) else { return false }
      state.waiters.remove(at: index)
      return true
    }
  }

  private func giveBack(_ lent: Lent) {
    let waiter = state.withLock { state -> Waiter? in
      guard state.waiters.isEmpty else { return state.waiters.remove(at: 0) }
      state.idle.append(lent)
      return nil
    }
    switch waiter {
    case .thread(let handover): handover.give(lent)
    case .task(_, let start): start(lent)
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
