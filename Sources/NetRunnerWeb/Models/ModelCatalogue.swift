// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import NetRunner
import Synchronization
import TensorIO

/// The server's models: those that come with the program, and those in a folder.
///
/// The folder is scanned again whenever the models are listed, so that a bundle that someone adds
/// is found without a restart. Models are loaded when they are first run, and stay loaded until a
/// scan finds that their files have changed.
final class ModelCatalogue: Sendable {
  /// The folder that bundles are imported into and deleted from.
  let folder: String

  private let shipped: [String]
  private let backends: [any Backend]
  private let threads: Int
  private let trials: ModelTrials

  /// How long listing the models waits for the trials of new ones, in seconds.
  private static let trialPatience = 3.0

  private struct State {
    /// The numbers of the last scan that began, and of the one that found what is here.
    var (lastScan, scan) = (0, 0)
    var models: [ServedModel] = []
    var failures: [(path: String, message: String)] = []
  }

  private let state = Mutex(State())

  init(shipped: [String], _ options: NetRunnerOptions) throws {
    folder = options.models
    self.shipped = shipped
    backends = options.runtimes.backends
    threads = options.threads
    trials = ModelTrials(backends: options.trialBackends ?? backends)
    try rescan()
  }

  func rescan() throws {
    let scan = state.withLock { state in
      state.lastScan += 1
      return state.lastScan
    }
    var failures: [(path: String, message: String)] = []
    var models: [String: ServedModel] = [:]
    for path in shipped {
      let model = ServedModel(try ModelBundle(path), isShipped: true)
      models[model.id] = model
    }
    let library = try ModelLibrary(scanning: folder)
    for bundle in library.bundles {
      let id = bundle.manifest.id
      if let other = models[id] {
        failures.append(
          (bundle.path, "Its id '\(id)' is already used by '\(other.bundle.manifest.name)'."))
      } else {
        models[id] = ServedModel(bundle, isShipped: false)
      }
    }
    failures += library.failures.map { ($0.path, $0.error.message) }
    trials.tryAll(Array(models.values), waiting: Self.trialPatience)
    models = models.mapValues { $0.tried(trials.outcome(of: $0.state)) }
    var sorted = models.values.sorted {
      ($0.bundle.manifest.name.lowercased(), $0.id) < ($1.bundle.manifest.name.lowercased(), $1.id)
    }
    state.withLock { state in
      // A scan that began later knows the folder better, even if this one took longer.
      guard scan > state.scan else { return }
      state.scan = scan
      let former = Dictionary(state.models.map { ($0.id, $0) }) { first, _ in first }
      for (index, model) in sorted.enumerated() {
        guard let former = former[model.id] else { continue }
        if former.state == model.state {
          sorted[index].loaded = former.loaded
        } else if former.loaded.isUnloaded {
          // A client decided it, so a changed file doesn't load the model again.
          sorted[index].loaded = ServedModel.Loaded(isUnloaded: true)
        }
      }
      state.models = sorted
      state.failures = failures
    }
  }

  /// All models, sorted by name.
  var models: [ServedModel] { state.withLock { $0.models } }

  /// The bundles that can't be used, each with the reason.
  var failures: [(path: String, message: String)] { state.withLock { $0.failures } }

  /// The model that the page starts with: preferably a classifier of photos, then a model that finds
  /// objects, a classifier of drawings, another model for images, or any.
  var defaultModel: ServedModel? {
    let runnable = models.filter { $0.reason == nil }
    // A model whose trial is still running may never finish.
    let tried = runnable.filter(\.hasPassed)
    let all = tried.isEmpty ? runnable : tried
    let models = all.filter { $0.subject == .image }
    let classifiers = models.filter { $0.kind == .classification }
    return classifiers.first { !$0.isForDrawings } ?? models.first { $0.kind == .detection }
      ?? classifiers.first ?? models.first ?? all.first
  }

  func model(_ id: String) throws -> ServedModel {
    guard let model = state.withLock({ $0.models.first { $0.id == id } }) else {
      throw WebError.noModel(id)
    }
    return model
  }

  /// Returns the evaluator that runs a model, and loads the model if it isn't loaded.
  func evaluator(of model: ServedModel) async throws -> Evaluator {
    if let reason = model.reason {
      throw WebError(status: .unprocessableContent, code: "model_cannot_run", message: reason)
    }
    return try model.loaded.evaluator(of: await inferenceModel(of: model))
  }

  /// Returns a model, whatever its inputs are, and loads it if it isn't loaded.
  ///
  /// The task waits for the load without a thread.
  func inferenceModel(of model: ServedModel) async throws -> InferenceModel {
    guard !model.bundle.manifest.isPlaceholder else {
      throw WebError(
        status: .unprocessableContent, code: "model_cannot_run", message: model.reason ?? "")
    }
    let loader = ModelLoader(backends: backends, sessions: threads)
    return try await model.loaded.model(orThrow: model.unloadedError) {
      let new = try InferenceModel(bundle: model.bundle, loader: loader)
      try new.load()
      return new
    }
  }

  func tryOut(_ bundle: ModelBundle) throws { try trials.tryOut(bundle) }

  /// Forgets what was loaded of a bundle that was replaced.
  ///
  /// If a client unloaded the model, it stays unloaded.
  func forgetLoaded(_ id: String) {
    state.withLock { state in
      guard let index = state.models.firstIndex(where: { $0.id == id }) else { return }
      let isUnloaded = state.models[index].loaded.isUnloaded
      state.models[index].loaded = ServedModel.Loaded(isUnloaded: isUnloaded)
    }
  }

  func delete(_ id: String) throws {
    let model = try model(id)
    guard !model.isShipped else {
      throw WebError(
        status: .forbidden, code: "model_is_shipped",
        message: "'\(model.bundle.manifest.name)' came with the program and can't be deleted.")
    }
    do {
      try FileManager.default.removeItem(atPath: model.bundle.path)
    } catch {
      // Clients see the message, so it doesn't contain the server's own paths.
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(FileSystem.name(of: model.bundle.path))' can't be deleted: "
          + "\(FileSystem.reason(for: error)).", cause: error)
    }
    try rescan()
  }
}
#endif
