// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A task that waits for a session and a run.
///
/// The first thing that ends it counts.
final class PendingRun<Value: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Value, any Error>)
    case running(CheckedContinuation<Value, any Error>)
    case ended(before: (any Error)?)
  }

  private let state = Mutex(State.new)
  /// Whether the task can go on before a run that has begun is over.
  private let endsEarly: Bool

  init(endsEarly: Bool) { self.endsEarly = endsEarly }

  var hasEnded: Bool {
    state.withLock { state in
      if case .ended = state { true } else { false }
    }
  }

  /// Takes the task's continuation.
  ///
  /// - Returns: False if the task was cancelled before, and has gone on.
  func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
    let error = state.withLock { state -> (any Error)? in
      if case .ended(let error) = state { return error ?? CancellationError() }
      state = .waiting(continuation)
      return nil
    }
    guard let error else { return true }
    continuation.resume(throwing: error)
    return false
  }

  /// Notes that the run begins.
  ///
  /// - Returns: False if the task has gone on.
  func begin() -> Bool {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation)
      return true
    }
  }

  /// Ends the task with what the run has returned or thrown.
  func end(_ result: Result<Value, any Error>) { takeContinuation()?.resume(with: result) }

  /// Ends the task with an error before its run has ended, unless it has ended already, or must wait
  /// for the run.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - cleanUp: Called before the task goes on.
  func giveUp(_ error: any Error, cleanUp: () -> Void) {
    let (isOver, continuation) = state.withLock {
      state -> (Bool, CheckedContinuation<Value, any Error>?) in
      switch state {
      case .new:
        state = .ended(before: error)
        return (true, nil)
      case .waiting(let continuation):
        state = .ended(before: nil)
        return (true, continuation)
      case .running(let continuation) where endsEarly:
        state = .ended(before: nil)
        return (true, continuation)
      case .running, .ended: return (false, nil)
      }
    }
    if isOver { cleanUp() }
    continuation?.resume(throwing: error)
  }

  private func takeContinuation() -> CheckedContinuation<Value, any Error>? {
    state.withLock { state in
      defer { state = .ended(before: nil) }
      switch state {
      case .waiting(let continuation), .running(let continuation): return continuation
      case .new, .ended: return nil
      }
    }
  }
}

extension PendingRun {
  /// Gives up at a time, unless the returned timer is cancelled before, which frees it.
  ///
  /// - Parameters:
  ///   - deadline: The time.
  ///   - error: Makes the task's error.
  ///   - cleanUp: Called before the task goes on because of this.
  /// - Returns: The timer.
  func giveUp(
    at deadline: ContinuousClock.Instant, _ error: @escaping @Sendable () -> any Error,
    cleanUp: @escaping @Sendable () -> Void
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: deadlineQueue)
    timer.schedule(deadline: .at(deadline))
    timer.setEventHandler { [weak self] in
      self?.giveUp(error(), cleanUp: cleanUp)
    }
    timer.activate()
    return timer
  }

  /// Runs a closure in a task that is cancelled at a time, when the calling task goes on.
  ///
  /// - Parameters:
  ///   - deadline: The time; nil if only a cancelled task goes on early.
  ///   - error: Makes the error of a closure that took too long.
  ///   - body: The work.
  /// - Returns: What the closure returns.
  /// - Throws: The error for a closure that took too long, `CancellationError`, and what the closure
  ///   throws.
  static func run(
    until deadline: ContinuousClock.Instant?, orThrow error: @escaping @Sendable () -> any Error,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let pending = PendingRun(endsEarly: true)
    let task = Mutex<Task<Void, Never>?>(nil)
    let stop: @Sendable () -> Void = { task.withLock { $0 }?.cancel() }
    let timer = deadline.map { pending.giveUp(at: $0, error, cleanUp: stop) }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard pending.wait(continuation), pending.begin() else { return }
        let work = Task {
          do { pending.end(.success(try await body())) } catch { pending.end(.failure(error)) }
        }
        task.withLock { $0 = work }
        if pending.hasEnded { work.cancel() }
      }
    } onCancel: {
      pending.giveUp(CancellationError(), cleanUp: stop)
    }
  }
}

/// Calls deadlines.
///
/// Another queue could be busy with runs.
private let deadlineQueue = DispatchQueue(label: "tensorio.deadlines", qos: .userInitiated)

extension DispatchTime {
  /// The time of an instant, which has passed if it isn't in the future.
  static func at(_ instant: ContinuousClock.Instant) -> DispatchTime {
    let left = (instant - .now).milliseconds
    return .now() + .microseconds(Int(min(max(left, 0), 1e12) * 1000))
  }
}
