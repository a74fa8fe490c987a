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
    private struct State {
      /// The load that is under way, or the one that gave the model in memory.
      var load: Task<InferenceModel, any Error>?
      /// The number of requests that wait for it.
      var waiting = 0
      var evaluator: Evaluator?
      var problem: String?
      var isUnloaded: Bool
    }

    private let state: Mutex<State>

    /// The maximum number of requests that wait for a model.
    private static let limit = 1024

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
        defer {
          state = State(waiting: state.waiting, problem: state.problem, isUnloaded: true)
        }
        return state
      }
      withExtendedLifetime(former) {}
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
    /// - Throws: What `make` throws, `unloaded`, and ``WebError/tooBusy``.
    func model(
      orThrow unloaded: WebError, _ make: @escaping @Sendable () throws -> InferenceModel
    ) async throws -> InferenceModel {
      let load = try state.withLock { state -> Task<InferenceModel, any Error> in
        guard !state.isUnloaded else { throw unloaded }
        guard state.waiting < Self.limit else { throw WebError.tooBusy }
        state.waiting += 1
        if let load = state.load { return load }
        let load = Task { try await Self.result(of: make) }
        state.load = load
        return load
      }
      do {
        let model = try await load.value
        note(nil, about: load)
        return model
      } catch {
        note(error, about: load)
        throw error
      }
    }

    /// Returns what runs the model on images, recordings and values.
    func evaluator(of model: InferenceModel) throws -> Evaluator {
      try state.withLock { state in
        if let evaluator = state.evaluator, evaluator.model === model { return evaluator }
        let evaluator = try Evaluator(model, decoder: InferenceRunner.decoder)
        if !state.isUnloaded { state.evaluator = evaluator }
        return evaluator
      }
    }

    /// Notes how a load ended.
    ///
    /// After an error, the next request tries it again.
    private func note(_ error: (any Error)?, about load: Task<InferenceModel, any Error>) {
      state.withLock { state in
        state.waiting -= 1
        // The model may have been unloaded meanwhile.
        guard state.load == load else { return }
        state.problem = error.map { "\($0)" }
        if error != nil { state.load = nil }
      }
    }

    private static func result(
      of make: @escaping @Sendable () throws -> InferenceModel
    ) async throws -> InferenceModel {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "tensorio.web.loading").async {
          continuation.resume(with: Result(catching: make))
        }
      }
    }
  }
}
#endif
