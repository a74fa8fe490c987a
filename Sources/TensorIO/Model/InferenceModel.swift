// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A model that runs in one of the backends and converts values as model.json describes.
///
/// The model is thread-safe. Each session has one run at a time; other callers wait.
public final class InferenceModel: Model {
  public let bundle: ModelBundle

  let loader: ModelLoader
  let counters = RunCounters()
  private let state = Mutex(State())
  /// The number of runs that wait until the model is loaded.
  let runsWaitingForLoad = Atomic(0)

  private struct State {
    /// The model in memory; nil if it isn't loaded.
    var loaded: Loaded?
    /// The load that is under way.
    var load: ModelLoad?
  }

  /// Makes a model, whose file is read by ``load()`` or by the first run.
  ///
  /// - Throws: ``TensorIOError`` when the loader has no backend for the bundle.
  public init(bundle: ModelBundle, loader: ModelLoader) throws {
    _ = try loader.backend(for: bundle)
    self.bundle = bundle
    self.loader = loader
  }

  /// Opens a bundle and makes its model.
  ///
  /// - Throws: ``TensorIOError`` when the bundle is not valid, or when the loader has no backend
  ///   for it.
  public convenience init(at path: String, loader: ModelLoader) throws {
    try self.init(bundle: ModelBundle(path), loader: loader)
  }

  public var isLoaded: Bool { loadedBefore != nil }

  public func load() throws { _ = try loaded() }

  public func loadSignature() throws -> ModelSignature {
    let bound = try loaded().bound
    return ModelSignature(
      inputs: bound.inputSpecs, outputs: bound.layout.specs, placeholders: bound.placeholderSpecs)
  }

  /// Returns the harmless differences between the bundle and the model file, and loads the model if
  /// it isn't loaded.
  ///
  /// - Throws: ``TensorIOError`` when the model cannot be loaded.
  public func loadWarnings() throws -> [BundleIssue] { try loaded().warnings }

  /// What the sessions do now, and how the model's runs have ended.
  public var statistics: RunStatistics {
    var statistics = RunStatistics()
    statistics.waiting = runsWaitingForLoad.load(ordering: .relaxed)
    if let pool = loadedBefore?.pool {
      statistics.sessions = pool.sessions
      statistics.running = pool.running
      statistics.waiting += pool.waiting
    }
    statistics.outcomes = counters.counts
    return statistics
  }

  public func unload() {
    // The model is freed outside the lock, when the last run that uses it has ended.
    _ = state.withLock { state in
      defer { state.loaded = nil }
      return state.loaded
    }
  }

  /// Starts a new sequence with a model that keeps state from run to run, such as a recurrent one.
  ///
  /// The next run gives the result of a model that was just loaded. A model without state stays as
  /// it is. With LiteRT, this takes about 0.1 ms for a small model, and more for one with many
  /// megabytes of weights.
  ///
  /// - Throws: ``TensorIOError`` when the model can't be loaded, or when the variables can't be
  ///   reset. Variables that are trained are never reset.
  public func reset() throws {
    let loaded = try loaded()
    guard loaded.model.keepsState else { return }
    guard !bundle.manifest.describesTraining else {
      throw TensorIOError(
        .unsupportedModel,
        "The variables of '\(bundle.path)' are trained, so they aren't reset. To get the weights of "
          + "the file back, unload the model and load it again.")
    }
    try borrow(from: loaded.pool) { try $0.reset() }
  }

  // MARK: - Loading

  /// The model in memory; nil if it isn't loaded.
  var loadedBefore: Loaded? { state.withLock { $0.loaded } }

  /// Returns the model in memory, and loads it if it isn't loaded.
  func loaded() throws -> Loaded {
    if let loadedBefore { return loadedBefore }
    let load = currentLoad { perform($0) }
    guard let loaded = try load.wait(until: nil) else {
      preconditionFailure("A load without a deadline has an outcome.")
    }
    return loaded
  }

  /// Returns the model in memory, and loads it on another thread if it isn't loaded.
  ///
  /// Loading reads files and compiles, which must not block a thread of the cooperative pool.
  func loaded() async throws -> Loaded {
    if let loadedBefore { return loadedBefore }
    return try await loadElsewhere().value
  }

  /// Returns the load that is under way, or begins one on another thread.
  func loadElsewhere() -> ModelLoad {
    currentLoad { load in
      DispatchQueue(label: "tensorio.loading").async { self.perform(load) }
    }
  }

  /// Returns the load that is under way, or a new one, which a closure begins.
  private func currentLoad(_ begin: (ModelLoad) -> Void) -> ModelLoad {
    let (load, isNew) = state.withLock { state -> (ModelLoad, Bool) in
      if let loaded = state.loaded { return (ModelLoad(of: loaded), false) }
      if let load = state.load { return (load, false) }
      let load = ModelLoad()
      state.load = load
      return (load, true)
    }
    if isNew { begin(load) }
    return load
  }

  private func perform(_ load: ModelLoad) {
    let outcome = Result { try makeLoaded() }
    state.withLock { state in
      state.load = nil
      if case .success(let loaded) = outcome { state.loaded = loaded }
    }
    load.end(outcome)
  }
}

extension InferenceModel {
  /// Loads a bundle's model and runs it once on zeros; a placeholder has no model, so it passes.
  ///
  /// If the loader's backends run models in separate processes, a model that crashes is reported as
  /// an error.
  package static func tryOut(_ bundle: ModelBundle, with loader: ModelLoader) throws {
    guard !bundle.manifest.isPlaceholder else { return }
    let model = try InferenceModel(bundle: bundle, loader: loader)
    try model.load()
    defer { model.unload() }
    // The valid values of placeholders are unknown, so a model with placeholders is only loaded.
    guard try model.loadSignature().placeholders.isEmpty, !bundle.manifest.describesTraining else {
      return
    }
    _ = try model.run(.zeros(for: model.loadSignature(), longestSide: 256))
  }
}

extension Duration {
  /// The duration in milliseconds, with nanosecond precision.
  package var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000) / 1e6
  }
}

/// The duration of each stage of a run, from the input to the outputs' values.
public struct RunLatency: Sendable, Hashable {
  /// The time for reading an image's file and decoding it.
  ///
  /// `InferenceModel.measure(_:)` counts it as preprocessing. Net Runner's evaluator measures it
  /// separately, although decoding and preprocessing are interleaved row by row.
  public var decode: Duration
  /// The time for converting the values and writing them into the model's memory.
  public var preprocess: Duration
  /// The time for running the model.
  public var inference: Duration
  /// The time for reading the outputs.
  public var postprocess: Duration

  /// Makes a latency from the durations of its stages.
  public init(
    decode: Duration = .zero, preprocess: Duration = .zero, inference: Duration = .zero,
    postprocess: Duration = .zero
  ) {
    self.decode = decode
    self.preprocess = preprocess
    self.inference = inference
    self.postprocess = postprocess
  }

  /// The sum of all stages.
  public var total: Duration { decode + preprocess + inference + postprocess }

  /// Adds each stage of another run, to compute a mean.
  package static func += (sum: inout RunLatency, other: RunLatency) {
    sum.decode += other.decode
    sum.preprocess += other.preprocess
    sum.inference += other.inference
    sum.postprocess += other.postprocess
  }

  /// Divides each stage by the number of runs.
  package static func / (sum: RunLatency, count: Int) -> RunLatency {
    RunLatency(
      decode: sum.decode / count, preprocess: sum.preprocess / count,
      inference: sum.inference / count, postprocess: sum.postprocess / count)
  }
}
