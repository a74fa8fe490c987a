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

  /// A bundle in the state in which it was tried out.
  private struct Subject: Hashable {
    let path: String
    let marks: [String]

    init(_ bundle: ModelBundle) {
      path = bundle.path
      marks = [bundle.path + "/model.json", bundle.modelPath ?? ""].map { path in
        // A missing file has no attributes. Its trial says what is wrong with it.
        let attributes = (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
        return "\(attributes[.modificationDate] ?? "") \(attributes[.size] ?? "")"
      }
    }
  }

  private struct State {
    var outcomes: [Subject: Outcome] = [:]
    var underWay: Set<Subject> = []
  }

  private let state = Mutex(State())
  private let backends: [any Backend]
  private let queue = DispatchQueue(label: "netrunner.trials")

  init(backends: [any Backend]) { self.backends = backends }

  func outcome(of bundle: ModelBundle) -> Outcome? {
    state.withLock { $0.outcomes[Subject(bundle)] }
  }

  /// Starts the trials of new bundles, and waits for them up to a number of seconds.
  ///
  /// Trials that take longer continue. The outcomes of bundles that no longer exist are removed.
  func tryAll(_ bundles: [ModelBundle], waiting seconds: Double) {
    let group = DispatchGroup()
    let subjects = bundles.map { ($0, Subject($0)) }
    state.withLock { state in
      let present = Set(subjects.map(\.1))
      state.outcomes = state.outcomes.filter { present.contains($0.key) }
    }
    for (bundle, subject) in subjects where !bundle.manifest.isPlaceholder {
      let isNew = state.withLock { state in
        state.outcomes[subject] == nil && state.underWay.insert(subject).inserted
      }
      guard isNew else { continue }
      queue.async(group: group) { [self] in
        let outcome = newOutcome(of: bundle)
        state.withLock { state in
          state.underWay.remove(subject)
          state.outcomes[subject] = outcome
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
