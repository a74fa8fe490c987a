// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Dispatch
import Foundation
import ModelRepositoryAPI
import ModelRepositoryClient
import Synchronization
import TensorIOLiteRT

/// Runs a TensorFlow Lite model from this machine or from a repository.
///
/// An interpreter is thread-safe, and executes its runs one after another.
public final class ModelInterpreter: Sendable {
  private enum Source {
    case local(path: String)
    case remote(name: String)
  }

  private let source: Source
  private let manager: ModelManager
  private struct State {
    var interpreter: LoadedInterpreter?
    /// The closure that records that the model works, or nil when nothing is left to record.
    var account: ModelManager.Account?
  }

  private let state = Mutex(State())
  /// The serial queue for runs, which uses its own thread while it works.
  private let queue = DispatchQueue(label: "tensorio.mlkit.interpreter")
  private static let backend = LiteRTBackend()

  private init(_ source: Source, _ manager: ModelManager) {
    self.source = source
    self.manager = manager
  }

  /// Returns an interpreter of a model on this machine, which loads the model in its first run.
  public static func modelInterpreter(localModel: CustomLocalModel) -> ModelInterpreter {
    ModelInterpreter(.local(path: localModel.modelPath), .modelManager())
  }

  /// Returns an interpreter of a hosted model, which loads the model in its first run.
  ///
  /// It uses the version that this process started with. If there is none, it uses the newest
  /// downloaded version.
  public static func modelInterpreter(remoteModel: CustomRemoteModel) -> ModelInterpreter {
    ModelInterpreter(.remote(name: remoteModel.name), .modelManager())
  }

  /// Runs the model.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, in the model's order.
  ///   - options: The formats of the inputs and outputs.
  ///   - completion: Called once, on another thread, with the outputs or with an `NSError` whose
  ///     code is one of ``MLErrorCode``.
  public func run(
    inputs: ModelInputs, options: ModelInputOutputOptions,
    completion: @escaping @Sendable (ModelOutputs?, (any Error)?) -> Void
  ) {
    // Copy the values now, because later changes must not affect this run.
    let (values, formats) = (inputs.values, options.formats)
    queue.async { [self] in
      do {
        completion(ModelOutputs(try run(values, formats)), nil)
      } catch {
        completion(nil, makeError(error))
      }
    }
  }

  private func run(
    _ values: [ModelInputs.Value], _ formats: ModelInputOutputOptions.Formats
  ) throws -> [Int: ModelOutputs.Output] {
    try state.withLock { state in
      if state.interpreter == nil { state = try load() }
      // If the process survives the run, the model counts as working, even if the run failed.
      defer { note(&state) }
      return try state.interpreter?.run(values, formats) ?? [:]
    }
  }

  /// Records that the model works.
  private func note(_ state: inout State) {
    do {
      try state.account?(.success(()))
      state.account = nil
    } catch {
      // Failing to record it is harmless, because the next run tries again.
    }
  }

  private func load() throws -> State {
    switch source {
    case .local(let path): return State(interpreter: try LoadedInterpreter(path, Self.backend))
    case .remote(let name):
      let (path, account) = try manager.installed(name)
      do {
        return State(interpreter: try LoadedInterpreter(path, Self.backend), account: account)
      } catch {
        do {
          try account(.failure(error))
        } catch let other {
          throw makeError(
            .failedPrecondition,
            makeError(error).localizedDescription + " This failure could not be recorded either: "
              + makeError(other).localizedDescription)
        }
        throw error
      }
    }
  }
}
#endif
