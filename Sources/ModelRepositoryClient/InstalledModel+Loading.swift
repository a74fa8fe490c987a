// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
public import TensorIO

extension InstalledModel {
  /// Loads a bundle's model into memory, and keeps account of how that goes.
  ///
  /// A version that loads, and stands its trial, is proven; one that throws, or ends the process, twice
  /// is quarantined. What the program or the computer lacks, as a backend or a native library, is not
  /// held against it.
  ///
  /// - Parameters:
  ///   - loader: Makes the model.
  ///   - trial: Tries a version that is not proven, as by a run on values of the program's: some models
  ///     load, and fail or end the process when they run.
  /// - Returns: The model, loaded.
  /// - Throws: `TensorIOError`; ``ModelRepositoryClientError`` with `.unsupportedFormat` for a version
  ///   that is a bare `.tflite` file, which needs a description of its inputs.
  public func load(
    with loader: ModelLoader, trial: (any Model) throws -> Void = { _ in }
  ) throws -> any Model {
    guard format == .bundle else {
      throw ModelRepositoryClientError(
        .unsupportedFormat,
        "Version '\(version?.text ?? "bundled")' of '\(model)' is a tflite file, not a bundle: load "
          + "'\(path)' with an interpreter, and call markLoaded.")
    }
    let loaded: any Model
    do {
      loaded = try loader.model(at: path)
      try loaded.load()
      if !client.isProven(self) { try trial(loaded) }
    } catch {
      try noteFailure(error)
      throw error
    }
    try client.markLoaded(self)
    return loaded
  }

  /// Loads the model and runs it once on zeros, before anybody uses it.
  ///
  /// With an `IsolatedBackend` this happens in a process of its own, so that a version that crashes is an
  /// error here. The failure is noted, and ``ModelRepositoryClient/installed(_:)`` returns the version
  /// before. A version that passes is not proven yet: ``load(with:trial:)`` proves it.
  ///
  /// ```swift
  /// try installed.tryOut(with: [IsolatedBackend(.liteRT)])
  /// let model = try installed.load(with: ModelLoader(backends: [.liteRT]))
  /// ```
  ///
  /// - Parameter backends: What runs the model.
  /// - Throws: `TensorIOError` that says why the model cannot be used.
  public func tryOut(with backends: [any Backend]) throws {
    do {
      try ModelTrial(path: path, backends: backends).run()
    } catch {
      try noteFailure(error)
      throw error
    }
  }

  /// Holds an error against the version, unless it is the program's or the computer's.
  ///
  /// - Parameter error: Why the model could not be loaded.
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  package func noteFailure(_ error: any Error) throws {
    if let code = (error as? TensorIOError)?.code, Self.faultsOfProgram.contains(code) {
      try client.withdrawAttempt(self)
    } else {
      try client.reportFailure(self)
    }
  }

  private static let faultsOfProgram: Set<TensorIOError.Code> = [
    .missingLibrary, .unknownBackend, .unknownModelClass, .invalidOption, .cancelled,
  ]
}
#endif
