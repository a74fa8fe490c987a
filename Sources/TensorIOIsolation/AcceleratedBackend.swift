// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import TensorIO

/// A backend that runs models on an accelerator, once a trial has shown that it can be trusted.
///
/// Drivers of accelerators can crash, hang, or compute other values. With the input of a model's
/// first run, a child process therefore runs the model on the accelerator, with limits on its time
/// and memory. If its outputs equal those of the CPU within ``AcceleratorTolerance``, the accelerator
/// runs the model, also with these inputs. Otherwise, the CPU does, and the ``Outcome`` says why.
///
/// ```swift
/// let backend = AcceleratedBackend(.liteRT)
/// let model = try ModelLoader(backends: [backend]).model(at: "pets.tiobundle")
/// let labels = try model.run(photo)["classification", as: Classification.self]
/// for outcome in backend.outcomes { print(outcome.accelerator, outcome.reason ?? "") }
/// ```
///
/// The first run takes the time of the trial. Only Linux has the child process.
public final class AcceleratedBackend: Backend {
  /// What runs a model, and why.
  public struct Outcome: Hashable, Sendable {
    /// The path of the model's file.
    public var path: String
    /// What runs the model.
    public var accelerator: Accelerator
    /// Why the CPU runs the model, or nil for a model that the accelerator runs.
    public var reason: String?
  }

  /// Whether a model that the accelerator can't run is an error.
  public let isRequired: Bool
  /// The options for starting the process of the trial, and its limits.
  public let isolation: IsolationOptions
  /// Whether the accelerator's later runs have processes of their own, too.
  ///
  /// A driver that crashes or hangs after the trial then ends only the run, and the CPU runs the
  /// model from there on. Each session has a process with the limits of the trial.
  public let isolatesRuns: Bool

  private let backend: any Backend
  private let accelerator: Accelerator
  private let found = Mutex<[Outcome]>([])
  private let onOutcome: @Sendable (Outcome) -> Void

  /// Makes a backend.
  ///
  /// - Parameters:
  ///   - backend: The backend that runs the models, which the other process finds by its name.
  ///   - accelerator: What may run the models.
  ///   - isRequired: Whether a model that the accelerator can't run is an error.
  ///   - isolation: The options for starting the process of the trial, and its limits.
  ///   - isolatesRuns: Whether the accelerator's later runs have processes of their own, too.
  ///   - onOutcome: Called when it is known what runs a model.
  public init(
    _ backend: any Backend, on accelerator: Accelerator = .gpu, isRequired: Bool = false,
    isolation: IsolationOptions = .acceleratorTrial, isolatesRuns: Bool = false,
    onOutcome: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) {
    self.backend = backend
    self.accelerator = accelerator
    self.isRequired = isRequired
    self.isolation = isolation
    self.isolatesRuns = isolatesRuns
    self.onOutcome = onOutcome
  }

  public var name: String { backend.name }
  public var matchesLayersByName: Bool { backend.matchesLayersByName }

  /// What runs each model, in the order of the models' first runs.
  public var outcomes: [Outcome] { found.withLock { $0 } }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    let model = try backend.loadModel(at: path, for: modes, options: options)
    guard accelerator != .cpu, !modes.contains(.train) else { return model }
    return AcceleratedModel(model, at: path, for: modes, of: self)
  }

  // MARK: - Models

  /// Loads a model on the accelerator.
  func loadOnAccelerator(
    _ path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    if isolatesRuns {
      return try IsolatedModel(
        address(of: path, for: modes, threads: options.threads), options: isolation)
    }
    var options = options
    options.accelerator = accelerator
    return try backend.loadModel(at: path, for: modes, options: options)
  }

  /// The model as the process of a trial loads it.
  func address(of path: String, for modes: ModelModes, threads: Int) -> ModelAddress {
    ModelAddress(
      path: path, backend: backend.name, modes: modes.rawValue, threads: threads,
      accelerator: accelerator)
  }

  /// Reports what runs a model.
  func report(_ path: String, reason: String?) {
    let outcome = Outcome(
      path: path, accelerator: reason == nil ? accelerator : .cpu, reason: reason)
    found.withLock { outcomes in
      outcomes.removeAll { $0.path == path }
      outcomes.append(outcome)
    }
    onOutcome(outcome)
  }

  /// The error for a model that the accelerator can't run.
  func refusal(of path: String, reason: String) -> TensorIOError {
    TensorIOError(
      .unsupportedModel,
      "'\(path)' can't run on the accelerator '\(accelerator.rawValue)': \(reason)")
  }
}

extension IsolationOptions {
  /// The limits of a trial: 4 GiB, which drivers may reserve, and 20 seconds.
  public static var acceleratorTrial: IsolationOptions {
    IsolationOptions(memoryBytes: 4 << 30, firstAnswerSeconds: 20, runSeconds: 20)
  }
}

/// A model that is loaded on the CPU, and later perhaps also on an accelerator.
final class AcceleratedModel: LoadedModel {
  let path: String
  let modes: ModelModes
  let backend: AcceleratedBackend
  private let model: any LoadedModel

  private enum Decision {
    case trusted(any LoadedModel)
    case refused(reason: String)
  }

  /// Nil until the first run.
  private let decision = Mutex<Decision?>(nil)
  /// Whether the decision is against the accelerator, which is never changed again.
  private let isRefused = Atomic(false)

  init(
    _ model: any LoadedModel, at path: String, for modes: ModelModes, of backend: AcceleratedBackend
  ) {
    self.model = model
    self.path = path
    self.modes = modes
    self.backend = backend
  }

  var signatures: [SignatureDescription] { model.signatures }
  var keepsState: Bool { model.keepsState }

  /// Whether the CPU runs the model.
  ///
  /// Sessions on an accelerator can't be resized, and a trial covers one shape. This doesn't wait for a
  /// trial, because servers ask before every run.
  var runsBatches: Bool { isRefused.load(ordering: .acquiring) && model.runsBatches }

  func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription { model.describe(layers, in: signature) }

  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    AcceleratedSession(
      self, signature, options: options, cpu: try model.makeSession(signature, options: options))
  }

  /// Decides at the first call what runs the model.
  ///
  /// - Parameters:
  ///   - options: How the model's sessions run.
  ///   - trial: Called for the first run only. It returns why the accelerator can't be trusted, or
  ///     nil if it can.
  /// - Returns: The model on the accelerator, or nil if the CPU runs it.
  /// - Throws: What the trial throws, or `TensorIOError` if the accelerator is required and can't
  ///   be used.
  func decide(
    _ options: SessionOptions, trial: () throws -> String?
  ) throws -> (any LoadedModel)? {
    try decision.withLock { decision in
      if decision == nil {
        if let reason = try trial() {
          refuse(because: reason, &decision)
        } else {
          do {
            decision = .trusted(
              try backend.loadOnAccelerator(path, for: modes, options: options))
            backend.report(path, reason: nil)
          } catch {
            refuse(because: AcceleratorTrial.reason(of: error), &decision)
          }
        }
      }
      if case .trusted(let model) = decision { return model }
      try checkRequirement(decision)
      return nil
    }
  }

  /// Uses the CPU from now on, because the accelerator failed after the trial.
  ///
  /// - Throws: `TensorIOError` if the accelerator is required.
  func distrust(_ error: any Error) throws {
    try distrust(because: AcceleratorTrial.reason(of: error, in: "a run after its trial"))
  }

  /// Uses the CPU from now on.
  ///
  /// - Throws: `TensorIOError` if the accelerator is required.
  func distrust(because reason: String) throws {
    try decision.withLock { decision in
      refuse(because: reason, &decision)
      try checkRequirement(decision)
    }
  }

  /// Checks before a run on the CPU that the accelerator isn't required.
  func checkCPUIsAllowed() throws {
    guard backend.isRequired else { return }
    try decision.withLock { try checkRequirement($0) }
  }

  private func refuse(because reason: String, _ decision: inout Decision?) {
    decision = .refused(reason: reason)
    isRefused.store(true, ordering: .releasing)
    backend.report(path, reason: reason)
  }

  private func checkRequirement(_ decision: Decision?) throws {
    guard backend.isRequired, case .refused(let reason) = decision else { return }
    throw backend.refusal(of: path, reason: reason)
  }
}
