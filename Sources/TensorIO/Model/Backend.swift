// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A runtime for models: TensorFlow Lite, TensorFlow, or one of your own.
public protocol Backend: Sendable {
  /// The name that model.json's `backend` takes.
  var name: String { get }

  /// Whether layers find their tensors by name; else by their order.
  var matchesLayersByName: Bool { get }

  /// Loads a model.
  ///
  /// - Parameters:
  ///   - path: The model file or folder.
  ///   - modes: What the model will be used for.
  /// - Returns: The model in memory, without a session yet.
  /// - Throws: ``TensorIOError`` when the library is missing or the model cannot be used.
  func loadModel(at path: String, for modes: ModelModes) throws -> any LoadedModel
}

/// A model that a backend has loaded: what many sessions share.
public protocol LoadedModel: Sendable {
  /// The ways to run it, at least one.
  var signatures: [SignatureDescription] { get }

  /// Whether runs change what later runs of the same session give.
  ///
  /// Such a model has one session, and runs item by item. The default is false.
  var keepsState: Bool { get }

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - signature: An index of ``signatures``.
  ///   - options: How the session runs.
  /// - Returns: A session with memory of its own.
  /// - Throws: ``TensorIOError`` when the runtime cannot run the model.
  func makeSession(signature: Int, options: SessionOptions) throws -> any Session
}

extension LoadedModel {
  public var keepsState: Bool { false }
}
