// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Synchronization
import TensorIO

/// Tries out every bundle once when it is found, so that models that can't run aren't offered.
///
/// A trial loads the model and runs it on zeros. If the backends run models in separate processes,
/// a model that crashes ends only its trial.
final class ModelTrials: Sendable {
  enum Outcome: Sendable, Hashable {
    case passed
    case failed(String)
  }

  private struct State {
    var outcomes: [BundleState: Outcome] = [:]
    var underWay: Set<BundleState> = []
  }

  private let state = Mutex(State())
  private let backends: [any Backend]
  private let queue = DispatchQueue(label: "netrunner.trials")

  init(backends: [any Backend]) { self.backends = backends }

  func outcome(of bundle: BundleState) -> Outcome? { state.withLock { $0.outcomes[bundle] } }

  /// Starts the trials of new and changed bundles, and waits for them up to a number of seconds.
  ///
  /// Trials that take longer continue. The outcomes of bundles that no longer exist are removed.
  func tryAll(_ models: [ServedModel], waiting seconds: Double) {
    let group = DispatchGroup()
    state.withLock { state in
      let present = Set(models.map(\.state))
      state.outcomes = state.outcomes.filter { present.contains($0.key) }
    }
    for model in models where !model.bundle.manifest.isPlaceholder {
      let isNew = state.withLock { state in
        state.outcomes[model.state] == nil && state.underWay.insert(model.state).inserted
      }
      guard isNew else { continue }
      queue.async(group: group) { [self] in
        let outcome = newOutcome(of: model.bundle)
        state.withLock { state in
          state.underWay.remove(model.state)
          state.outcomes[model.state] = outcome
        }
      }
    }
    _ = group.wait(timeout: .now() + seconds)
  }

  /// Loads a model and runs it on zeros.
  func tryOut(_ bundle: ModelBundle) throws {
    try InferenceModel.tryOut(bundle, with: ModelLoader(backends: backends))
  }

  /// Returns the outcome, or nil if the runtime is missing, which says nothing about the model.
  private func newOutcome(of bundle: ModelBundle) -> Outcome? {
    do {
      try tryOut(bundle)
      return .passed
    } catch let error as TensorIOError where error.code == .missingLibrary {
      return nil
    } catch {
      return .failed("\(error)")
    }
  }
}
#endif
