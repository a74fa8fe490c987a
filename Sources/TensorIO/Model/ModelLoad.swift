// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A load of a model, whose result all callers share that need the model meanwhile.
///
/// Tasks wait without a thread, so that callers of a model that loads slowly don't take the threads
/// of other models.
final class ModelLoad: Sendable {
  typealias Outcome = Result<InferenceModel.Loaded, any Error>

  private struct State {
    var outcome: Outcome?
    var continuations: [CheckedContinuation<InferenceModel.Loaded, any Error>] = []
  }

  private let state = Mutex(State())
  /// Wakes waiting threads; it is left when the load ends.
  private let group = DispatchGroup()

  init() { group.enter() }

  /// Makes a load that has ended.
  init(of loaded: InferenceModel.Loaded) { state.withLock { $0.outcome = .success(loaded) } }

  /// Ends the load, once.
  func end(_ outcome: Outcome) {
    let continuations = state.withLock { state in
      state.outcome = outcome
      defer { state.continuations = [] }
      return state.continuations
    }
    group.leave()
    for continuation in continuations { continuation.resume(with: outcome) }
  }

  /// Blocks the thread until the load has ended.
  ///
  /// - Parameter deadline: When to stop waiting; nil for never.
  /// - Returns: The model, or nil if the deadline has passed.
  /// - Throws: The load's error.
  func wait(until deadline: ContinuousClock.Instant?) throws -> InferenceModel.Loaded? {
    let time = deadline.map(DispatchTime.at) ?? .distantFuture
    guard group.wait(timeout: time) == .success else { return nil }
    return try state.withLock { $0.outcome }?.get()
  }

  /// The model, once the load has ended; a cancelled task waits, too.
  var value: InferenceModel.Loaded {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.continuations.append(continuation) }
          return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    }
  }
}
