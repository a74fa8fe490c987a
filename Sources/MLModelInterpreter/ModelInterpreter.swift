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
import TensorIO
import TensorIOLiteRT

/// Runs a TensorFlow Lite model, of this machine or of a repository.
///
/// It can be used from any thread; runs of one interpreter follow each other.
public final class ModelInterpreter: Sendable {
  private enum Source {
    case local(path: String)
    case remote(name: String)
  }

  private let source: Source
  private let manager: ModelManager
  private struct State {
    var interpreter: LoadedInterpreter?
    /// What is still to be told that the model works.
    var account: ModelManager.Account?
  }

  private let state = Mutex(State())
  /// A serial queue has a thread of its own while it works.
  private let queue = DispatchQueue(label: "tensorio.mlkit.interpreter")
  private static let backend = LiteRTBackend()

  private init(_ source: Source, _ manager: ModelManager) {
    self.source = source
    self.manager = manager
  }

  /// An interpreter of a model on this machine, which the first run loads.
  public static func modelInterpreter(localModel: CustomLocalModel) -> ModelInterpreter {
    ModelInterpreter(.local(path: localModel.modelPath), .modelManager())
  }

  /// An interpreter of a hosted model, which the first run loads: the version that this process began
  /// with, or else the newest that was downloaded.
  public static func modelInterpreter(remoteModel: CustomRemoteModel) -> ModelInterpreter {
    ModelInterpreter(.remote(name: remoteModel.name), .modelManager())
  }

  /// Runs the model.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, in the model's order.
  ///   - options: What inputs and outputs are.
  ///   - completion: Called on another thread, once: with the outputs, or with an `NSError` whose codes
  ///     are ``MLErrorCode``'s.
  public func run(
    inputs: ModelInputs, options: ModelInputOutputOptions,
    completion: @escaping @Sendable (ModelOutputs?, (any Error)?) -> Void
  ) {
    // What is changed later is no part of this run.
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
      // A process that is alive after a run, whatever came of it, has a model that works.
      defer { note(&state) }
      return try state.interpreter?.run(values, formats) ?? [:]
    }
  }

  /// Keeps that the model works.
  private func note(_ state: inout State) {
    do {
      try state.account?(.success(()))
      state.account = nil
    } catch {
      // No reason to refuse the outputs: the next run tries again.
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
            makeError(error).localizedDescription + " Nor could that be noted: "
              + makeError(other).localizedDescription)
        }
        throw error
      }
    }
  }
}
#endif
