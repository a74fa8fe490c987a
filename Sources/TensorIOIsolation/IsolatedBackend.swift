// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A backend whose models run in separate processes.
///
/// An untrusted model file can crash the runtime, use up all memory, or never return. With this
/// backend, only a child process ends. The run throws an error that explains it, and the next run
/// starts a new child. Inputs and outputs are in memory that both processes share, so a run only
/// costs one additional message.
///
/// ```swift
/// let loader = ModelLoader(backends: [IsolatedBackend(.liteRT)])
/// ```
///
/// Models can only be run; for training, use the backend itself. Works only on Linux.
public struct IsolatedBackend: Backend {
  public let name: String
  public let matchesLayersByName: Bool
  /// The options for starting processes, and their limits.
  public let options: IsolationOptions

  /// Whether this system can run models in separate processes.
  public static var isSupported: Bool {
    #if os(Linux)
    true
    #else
    false
    #endif
  }

  /// Makes a backend.
  ///
  /// - Parameters:
  ///   - backend: The backend that the other process uses. That process finds it by its name.
  ///   - options: The options for starting processes, and their limits.
  public init(_ backend: any Backend, options: IsolationOptions = IsolationOptions()) {
    name = backend.name
    matchesLayersByName = backend.matchesLayersByName
    self.options = options
  }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    try IsolatedModel(
      ModelAddress(path: path, backend: name, modes: modes, threads: options.threads),
      options: self.options)
  }
}

/// The information that a process needs to load a model.
struct ModelAddress: Sendable {
  var path: String
  var backend: String
  var modes: ModelModes
  var threads: Int

  var request: WorkerRequest {
    .load(path: path, backend: backend, modes: modes.rawValue, threads: threads)
  }
}
