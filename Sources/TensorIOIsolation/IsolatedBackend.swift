// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A backend whose models run in processes of their own.
///
/// A model file that nobody vouches for can crash the runtime, take all memory, or never return. Here
/// that ends a child: the run is an error that says so, and the next run starts a new child. Inputs
/// and outputs lie in memory that both processes share, so that a run costs one message more.
///
/// ```swift
/// let loader = ModelLoader(backends: [IsolatedBackend(.liteRT)])
/// ```
///
/// Models are only run: training needs the backend itself. Linux only.
public struct IsolatedBackend: Backend {
  public let name: String
  public let matchesLayersByName: Bool
  /// How processes are started, and what they may take.
  public let options: IsolationOptions

  /// Whether this system can run models in processes of their own.
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
  ///   - backend: The backend that the other process uses, found there by its name.
  ///   - options: How processes are started, and what they may take.
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

/// What a process needs to load a model.
struct ModelAddress: Sendable {
  var path: String
  var backend: String
  var modes: ModelModes
  var threads: Int

  var request: WorkerRequest {
    .load(path: path, backend: backend, modes: modes.rawValue, threads: threads)
  }
}
