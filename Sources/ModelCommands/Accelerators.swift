// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ModelTools
import Synchronization
package import TensorIO
import TensorIOIsolation
package import TensorIOLiteRT
import TensorIOTensorFlow

/// The value of `--accelerator`.
package enum AcceleratorChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
  case auto
  case cpu
  case gpu

  package static let help = ArgumentHelp(
    "What runs TensorFlow Lite models: cpu; gpu, which is an error if the GPU can't be trusted; or "
      + "auto, which then uses the CPU. The first run is tried on the GPU in a process of its own, "
      + "and compared with the CPU. (default: cpu)")

  // As in DecodeScaling, the parser's defaults would search for conformances at every start.
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  package static var allValueDescriptions: [String: String] { [:] }
  package var defaultValueDescription: String { rawValue }
}

/// What ran the models of a command, and why.
package final class AcceleratorReport: Sendable {
  private let choice: AcceleratorChoice?
  /// Whether the errors of the GPU go to clients, so that the log needs them, too.
  private let isForServer: Bool
  private let outcomes = Mutex<[AcceleratedBackend.Outcome]>([])

  /// Makes a report on the value of `--accelerator`, or on a command without it.
  package init(_ choice: AcceleratorChoice?, isForServer: Bool = false) {
    self.choice = choice
    self.isForServer = isForServer
  }

  /// Whether the option was given, so that results say what ran.
  package var isAsked: Bool { choice != nil }

  /// Whether models may run on an accelerator.
  package var mayAccelerate: Bool { choice ?? .cpu != .cpu }

  /// Whether only the GPU may run models.
  package var needsGPU: Bool { choice == .gpu }

  /// Whether the only model was tried on an accelerator.
  package var isTried: Bool { outcome(ofModelAt: nil) != nil }

  /// Returns all backends, with the chosen accelerator for TensorFlow Lite models.
  ///
  /// A model that the GPU can't run is reported as a warning, once.
  package func backends(
    limitedBy memoryLimit: MemoryLimit, cache: LiteRTWeightCache? = nil
  ) -> [any Backend] {
    let cpu = LiteRTBackend(limits: memoryLimit.liteRTLimits, weightCache: cache)
    return accelerated([cpu, .tensorFlow], trial(memoryLimit), isolatesRuns: false)
  }

  /// Returns all backends, with TensorFlow Lite models in separate processes, on the CPU and on the
  /// chosen accelerator.
  ///
  /// The time limit is the most seconds for loading a model and for each run; with nil, the defaults
  /// hold.
  package func isolatedBackends(
    limitedBy memoryLimit: MemoryLimit, timeLimit: Double?
  ) -> [any Backend] {
    var isolation = trial(memoryLimit)
    isolation.firstAnswerSeconds = timeLimit ?? isolation.firstAnswerSeconds
    isolation.runSeconds = timeLimit ?? isolation.runSeconds
    return accelerated(
      Backends.isolated(by: memoryLimit, timeLimit: timeLimit), isolation, isolatesRuns: true)
  }

  private func trial(_ memoryLimit: MemoryLimit) -> IsolationOptions {
    var isolation = IsolationOptions.acceleratorTrial
    isolation.arguments += ["--memory-limit", memoryLimit.argument]
    return isolation
  }

  /// Lets the accelerator run the models of the first backend.
  private func accelerated(
    _ backends: [any Backend], _ isolation: IsolationOptions, isolatesRuns: Bool
  ) -> [any Backend] {
    guard mayAccelerate, let cpu = backends.first else { return backends }
    let liteRT = AcceleratedBackend(
      cpu, isRequired: choice == .gpu, isolation: isolation, isolatesRuns: isolatesRuns,
      onOutcome: { [weak self] in self?.add($0) })
    return [liteRT] + backends.dropFirst()
  }

  private func add(_ outcome: AcceleratedBackend.Outcome) {
    outcomes.withLock { outcomes in
      outcomes.removeAll { $0.path == outcome.path }
      outcomes.append(outcome)
    }
    // The error of a command has the reason, too.
    guard let reason = outcome.reason, choice == .auto || isForServer else { return }
    let what = choice == .auto ? "runs on the CPU instead of the GPU" : "can't run on the GPU"
    Console.printMessage("warning: '\(outcome.path.printable)' \(what): \(reason.printable)")
  }

  /// Returns why a model couldn't run, because only the GPU was allowed; nil if none was refused.
  package var refusal: String? {
    guard choice == .gpu else { return nil }
    return outcomes.withLock { outcomes in
      outcomes.first { $0.reason != nil }.map {
        "'\($0.path.printable)' can't run on the GPU: \(($0.reason ?? "").printable)"
      }
    }
  }

  private func outcome(ofModelAt path: String?) -> AcceleratedBackend.Outcome? {
    outcomes.withLock { outcomes in outcomes.first { path == nil || $0.path == path } }
  }

  /// What runs the model at a path, or the only model, and why it isn't the accelerator.
  ///
  /// The name is `gpu`, `cpu`, or `none` if only the GPU may run the model and can't. It is nil before
  /// the first run, and for models that an accelerator may not run.
  package func description(ofModelAt path: String?) -> (name: String, reason: String?)? {
    outcome(ofModelAt: path).map { outcome in
      let isRefused = choice == .gpu && outcome.reason != nil
      return (isRefused ? "none" : outcome.accelerator.rawValue, outcome.reason)
    }
  }

  /// The description as text: `gpu`, or `cpu` with the reason.
  package func text(ofModelAt path: String? = nil) -> String {
    guard let (name, reason) = description(ofModelAt: path) else { return "cpu" }
    return name + (reason.map { " (\($0))" } ?? "")
  }

  /// The same as JSON: accelerator, and accelerator_reason if the CPU took over.
  package var members: [String: JSONValue] {
    let (name, reason) = description(ofModelAt: nil) ?? ("cpu", nil)
    var members: [String: JSONValue] = ["accelerator": .string(name)]
    members["accelerator_reason"] = reason.map(JSONValue.string)
    return members
  }
}
