// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import NetRunner
import Synchronization
import TensorIO

extension ServedModel {
  /// A model in memory, or its load, whose result all requests share that need the model meanwhile.
  final class Loaded: Sendable {
    /// A request that waits for the model.
    private struct Waiter {
      let continuation: CheckedContinuation<InferenceModel, any Error>
      /// The error if a client unloads the model meanwhile.
      let unloaded: WebError
    }

    private struct State {
      /// The model in memory.
      var model: InferenceModel?
      /// The number of the load that is under way.
      var load: Int?
      /// The requests that wait for it.
      var waiters: [Int: Waiter] = [:]
      /// The last number of a load or a waiter.
      var last = 0
      var evaluator: Evaluator?
      var problem: String?
      var isUnloaded: Bool

      mutating func next() -> Int {
        last += 1
        return last
      }
    }

    private let state: Mutex<State>

    /// The maximum number of requests that wait for a model, of which the queue can then take most.
    private static let limit = 128

    init(isUnloaded: Bool = false) { state = Mutex(State(isUnloaded: isUnloaded)) }

    /// Why the bundle couldn't be loaded at the last attempt.
    var problem: String? { state.withLock { $0.problem } }

    /// Whether a client unloaded the model, so that it stays unloaded until a client loads it.
    var isUnloaded: Bool { state.withLock { $0.isUnloaded } }

    /// Lets requests load the model again.
    func allowLoading() { state.withLock { $0.isUnloaded = false } }

    /// Frees the model, when the last run that uses it has ended.
    func unload() {
      // The model's processes end outside of the lock.
      let former = state.withLock { state in
        defer { state = State(last: state.last, problem: state.problem, isUnloaded: true) }
        return state
      }
      for waiter in former.waiters.values { waiter.continuation.resume(throwing: waiter.unloaded) }
    }

    /// Returns the model, and makes it on a thread of its own if nobody has.
    ///
    /// Requests wait without a thread, so that a model that loads slowly doesn't take the threads of
    /// other models. A load that nobody waits for any longer is completed for later requests.
    ///
    /// - Parameters:
    ///   - unloaded: The error if a client unloaded the model.
    ///   - make: Makes the model, and blocks the thread meanwhile.
    /// - Returns: The model.
    /// - Throws: What `make` throws, `unloaded`, ``WebError/tooBusy``, and `CancellationError`.
    func model(
      orThrow unloaded: WebError, _ make: @escaping @Sendable () throws -> InferenceModel
    ) async throws -> InferenceModel {
      let (known, id) = try state.withLock { state in
        guard !state.isUnloaded else { throw unloaded }
        return (state.model, state.next())
      }
      if let known { return known }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          wait(Waiter(continuation: continuation, unloaded: unloaded), id, make)
        }
      } onCancel: {
        state.withLock { $0.waiters.removeValue(forKey: id) }?
          .continuation.resume(throwing: CancellationError())
      }
    }

    /// Adds a waiter, and begins to load the model if nobody has.
    private func wait(
      _ waiter: Waiter, _ id: Int, _ make: @escaping @Sendable () throws -> InferenceModel
    ) {
      var load: Int?
      let answer = state.withLock { state -> Result<InferenceModel, any Error>? in
        if state.isUnloaded { return .failure(waiter.unloaded) }
        if let model = state.model { return .success(model) }
        if Task.isCancelled { return .failure(CancellationError()) }
        guard state.waiters.count < Self.limit else { return .failure(WebError.tooBusy) }
        state.waiters[id] = waiter
        guard state.load == nil else { return nil }
        load = state.next()
        state.load = load
        return nil
      }
      if let answer { waiter.continuation.resume(with: answer) }
      guard let load else { return }
      DispatchQueue(label: "tensorio.web.loading").async { [self] in
        end(load, Result(catching: make))
      }
    }

    /// Notes how a load ended, and answers those that waited for it.
    ///
    /// After an error, the next request tries it again.
    private func end(_ load: Int, _ result: Result<InferenceModel, any Error>) {
      let waiters = state.withLock { state -> [Int: Waiter] in
        // The model may have been unloaded meanwhile.
        guard state.load == load else { return [:] }
        defer { state.waiters = [:] }
        state.load = nil
        switch result {
        case .success(let model): (state.model, state.problem) = (model, nil)
        case .failure(let error): state.problem = "\(error)"
        }
        return state.waiters
      }
      for waiter in waiters.values { waiter.continuation.resume(with: result) }
    }

    /// Returns what runs the model on images, recordings and values.
    func evaluator(of model: InferenceModel) throws -> Evaluator {
      let known = state.withLock { $0.evaluator }
      if let known, known.model === model { return known }
      // It reads labels, so it is made outside of the lock.
      let made = try Evaluator(model, decoder: InferenceRunner.decoder)
      return state.withLock { state in
        if let evaluator = state.evaluator, evaluator.model === model { return evaluator }
        if state.model === model { state.evaluator = made }
        return made
      }
    }
  }
}
#endif
