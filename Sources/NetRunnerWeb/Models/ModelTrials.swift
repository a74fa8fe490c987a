// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Foundation
import NetRunner
import Synchronization
import TensorIO

/// Tries every bundle once when it is found, so that models that cannot run are not offered.
///
/// A trial loads the model and runs it on zeros. With backends that run models in processes of their
/// own, a model that crashes ends only its trial.
final class ModelTrials: Sendable {
  /// What is known of a bundle.
  enum Outcome: Sendable, Hashable {
    case passed
    case failed(String)
  }

  /// A bundle in the state that it had when it was tried.
  private struct Subject: Hashable {
    let path: String
    let marks: [String]

    init(_ bundle: ModelBundle) {
      path = bundle.path
      marks = [bundle.path + "/model.json", bundle.modelPath ?? ""].map { path in
        // A file that is gone by now has no marks; the trial tells what is wrong with it.
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

  /// What is known of a bundle; nil while it has not been tried.
  func outcome(of bundle: ModelBundle) -> Outcome? {
    state.withLock { $0.outcomes[Subject(bundle)] }
  }

  /// Starts the trials of bundles that have not been tried, and waits for them a little.
  ///
  /// - Parameters:
  ///   - bundles: All bundles that are there; what is known of others is forgotten.
  ///   - seconds: How long to wait at most; trials that take longer go on.
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
        let outcome = tryOut(bundle)
        state.withLock { state in
          state.underWay.remove(subject)
          state.outcomes[subject] = outcome
        }
      }
    }
    _ = group.wait(timeout: .now() + seconds)
  }

  /// Loads a bundle's model and runs it on zeros.
  ///
  /// - Returns: The outcome; nil when the runtime is missing, which says nothing of the model.
  private func tryOut(_ bundle: ModelBundle) -> Outcome? {
    do {
      try InferenceModel.tryOut(bundle, with: ModelLoader(backends: backends))
      return .passed
    } catch let error as TensorIOError where error.code == .missingLibrary {
      return nil
    } catch {
      return .failed("\(error)")
    }
  }
}
#endif
