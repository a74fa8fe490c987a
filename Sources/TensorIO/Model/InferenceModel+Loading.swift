// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension InferenceModel {
  final class Loaded: Sendable {
    let model: any LoadedModel
    let bound: BoundSignature
    let warnings: [BundleIssue]
    let pool: SessionPool
    /// Lends the session whose runs are training steps; nil for a model that is not trainable.
    let training: SessionPool?
    /// Whether only training steps compute the outputs, so that nothing else can be run.
    let onlyTrains: Bool

    init(
      model: any LoadedModel, bound: BoundSignature, warnings: [BundleIssue], pool: SessionPool,
      training: SessionPool?, onlyTrains: Bool
    ) {
      self.model = model
      self.bound = bound
      self.warnings = warnings
      self.pool = pool
      self.training = training
      self.onlyTrains = onlyTrains
    }
  }

  /// Reads the model's file and matches its tensors to the layers.
  func makeLoaded() throws -> Loaded {
    guard let path = bundle.modelPath else {
      throw TensorIOError(.invalidBundle, "'\(bundle.path)' is a placeholder without a model.")
    }
    let manifest = bundle.manifest
    let backend = try loader.backend(for: bundle)
    var options = loader.sessionOptions
    options.weights = bundle.weightsPath
    let model = try backend.loadModel(at: path, for: manifest.model.modes, options: options)
    try checkModes(with: model)
    try checkOperations(of: model)
    let whole = try signature(
      among: model.signatures, isFoundByName: backend.matchesLayersByName)
    let signature = model.describe(
      LayerNames(
        inputs: (manifest.inputs + manifest.placeholders).map(\.name),
        outputs: manifest.outputs.map(\.name), operations: manifest.trainingOperations),
      in: whole)
    var binder = SignatureBinder(
      bundle: bundle, matchesByName: backend.matchesLayersByName || manifest.describesTraining)
    // The signature of a backend that matches by order already lists all tensors.
    guard let bound = binder.bind(signature, of: backend.matchesLayersByName ? whole : nil),
      let shapes = bound.inputShapes(forItems: 1)
    else {
      throw mismatch(binder.issues)
    }
    let described = signature.inputs.map(\.shape)
    var sessions: [any Session] = []
    for _ in 0..<(model.keepsState ? 1 : loader.sessions) {
      let session = try model.makeSession(signature, options: loader.sessionOptions)
      if shapes != described { try session.resizeInputs(to: shapes) }
      sessions.append(session)
    }
    binder.checkOutputs(
      bound.outputs, shapes: bound.outputs.map { sessions[0].outputShape(at: $0.index) })
    guard binder.issues.allSatisfy({ $0.severity != .error }) else {
      throw mismatch(binder.issues)
    }
    // A trainable model is expected to change, so it gets no warning.
    if model.keepsState && !manifest.describesTraining {
      binder.report(
        .keepsState, .warning, at: "model.file",
        expected: "a model whose results depend only on its inputs",
        found: "variables that keep their values from run to run",
        suggestion: "Each run continues from the previous one. To start over, call `reset()`."
      )
    }
    return Loaded(
      model: model, bound: bound, warnings: bundle.warnings + binder.issues,
      pool: SessionPool(sessions, mostWaiting: loader.mostWaiting),
      training: try makeTrainingPool(model, signature),
      onlyTrains: signature.isTrainingStep)
  }

  /// Rejects the mode "train" for a TensorFlow Lite file without training signatures.
  ///
  /// A file that has them may be used without `train.ops`. It can be run then, and a warning says
  /// what is missing.
  private func checkModes(with model: any LoadedModel) throws {
    let manifest = bundle.manifest
    guard bundle.backendName == "tflite", manifest.model.modes.contains(.train),
      !manifest.describesTraining, model.signatures.count < 2 || !model.keepsState
    else { return }
    throw mismatch([
      BundleIssue(
        .unsupportedByBackend, path: "model.modes",
        expected: "[\"predict\"], or no \"modes\", since the file has no signature that trains it",
        found: "\"train\"",
        suggestion:
          "Remove \"train\" from \"modes\", or convert the model with a training signature.")
    ])
  }

  /// Checks the operations of a training step before the layers are matched.
  ///
  /// If an operation is missing, the layers that only it has would be reported as unknown.
  private func checkOperations(of model: any LoadedModel) throws {
    guard bundle.manifest.describesTraining, let trainable = model as? any TrainableLoadedModel
    else { return }
    try trainable.checkOperations(bundle.manifest.trainingOperations)
  }

  private func makeTrainingPool(
    _ model: any LoadedModel, _ signature: SignatureDescription
  ) throws -> SessionPool? {
    guard bundle.manifest.describesTraining, let trainable = model as? any TrainableLoadedModel
    else { return nil }
    return SessionPool([
      try trainable.makeTrainingSession(
        signature, operations: bundle.manifest.trainingOperations, options: loader.sessionOptions)
    ])
  }

  /// Finds the signature to run: the one that is named, the one of a trainable model's outputs, or
  /// the first.
  private func signature(
    among signatures: [SignatureDescription], isFoundByName: Bool
  ) throws -> SignatureDescription {
    guard let key = loader.signatureKey ?? bundle.manifest.model.signature else {
      return signatureOfOutputs(among: signatures, isFoundByName: isFoundByName) ?? signatures[0]
    }
    guard let signature = signatures.first(where: { $0.key == key }) else {
      let keys = quotedList(signatures.map(\.key))
      throw TensorIOError(
        .invalidModel, "The model in '\(bundle.path)' has no signature '\(key)'; it has \(keys).",
        issues: [
          BundleIssue(
            .unknownTensor, path: "model.signature", expected: "one of \(keys)", found: "'\(key)'",
            suggestion: "Use one of these keys, or leave out the key to use the first signature.")
        ])
    }
    return signature
  }

  /// Finds a trainable model's signature that has all outputs of model.json, preferably one that
  /// doesn't train.
  private func signatureOfOutputs(
    among signatures: [SignatureDescription], isFoundByName: Bool
  ) -> SignatureDescription? {
    let manifest = bundle.manifest
    guard manifest.describesTraining else { return nil }
    let names = Set(manifest.outputs.map(\.name))
    let able = signatures.filter { names.isSubset(of: $0.outputs.map(\.name)) }
    let trains = Set(manifest.trainingOperations)
    if let found = able.first(where: { !trains.contains($0.key) }) ?? able.first { return found }
    // A backend that finds layers by name finds those of other signatures, too.
    guard isFoundByName else { return nil }
    return signatures.first { signature in
      !trains.contains(signature.key)
        && signature.outputs.contains { names.contains($0.name) }
    }
  }

  private func mismatch(_ issues: [BundleIssue]) -> TensorIOError {
    let errors = issues.filter { $0.severity == .error }
    return TensorIOError(
      .invalidBundle,
      "model.json and the model in '\(bundle.path)' disagree: "
        + errors.map(\.description).joined(separator: " "),
      issues: issues)
  }
}

// MARK: - Loading for a run

extension InferenceModel {
  /// Returns the model in memory, and loads it if it isn't loaded, until the request's deadline.
  ///
  /// A failure counts as a failed run. A load that takes too long is completed for later runs.
  @inline(__always)
  func loaded(for request: RunRequest?, items: Int = 1) throws -> Loaded {
    if let loaded = loadedBefore { return loaded }
    return try load(for: request, items)
  }

  private func load(for request: RunRequest?, _ items: Int) throws -> Loaded {
    do {
      try beginWaiting()
      defer { endWaiting() }
      guard let request else { return try loaded() }
      request.beginLoading()
      let model =
        request.deadline == nil
        ? try loaded() : try loadElsewhere().wait(until: request.deadline)
      guard let model else { throw request.expired(of: bundle.path) }
      request.endLoading()
      return model
    } catch {
      throw failed(error, request, items)
    }
  }

  /// Returns the model in memory, and loads it on another thread if it isn't loaded.
  ///
  /// The task goes on at the request's deadline, or when it is cancelled. The load is then completed
  /// for later runs. A failure counts as a failed run.
  func loaded(for request: RunRequest, items: Int = 1) async throws -> Loaded {
    if let loaded = loadedBefore { return loaded }
    let path = bundle.path
    do {
      try beginWaiting()
      defer { endWaiting() }
      request.beginLoading()
      let loaded = try await PendingRun.run(
        until: request.deadline, orThrow: { request.expired(of: path) }, { try await self.loaded() }
      )
      request.endLoading()
      return loaded
    } catch {
      throw failed(error, request, items)
    }
  }

  /// Notes that a run waits until the model is loaded.
  ///
  /// - Throws: ``SessionPool/Failure/overloaded(waiting:sessions:)`` if more wait than could run or
  ///   wait for a session afterwards.
  private func beginWaiting() throws {
    let waiting = runsWaitingForLoad.wrappingAdd(1, ordering: .relaxed).oldValue
    guard waiting - loader.sessions < loader.mostWaiting else {
      endWaiting()
      throw SessionPool.Failure.overloaded(waiting: waiting, sessions: loader.sessions)
    }
  }

  private func endWaiting() { runsWaitingForLoad.subtract(1, ordering: .relaxed) }
}
