// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import TensorIO

/// A backend in memory whose models return their inputs.
///
/// Use it to test the layers above a backend, and as the smallest example of one.
///
/// Output `i` holds the bytes of input `i`. If there are more outputs than inputs, the inputs
/// repeat. An output that is longer than its input is padded with zeros; a shorter one holds the
/// first bytes. If both have the same first axis, such as a batch, this applies to each item.
///
/// ```swift
/// let echo = EchoBackend([
///   SignatureDescription(
///     key: "", inputs: [TensorDescription(name: "x", dataType: .float32, shape: [1, 4])],
///     outputs: [TensorDescription(name: "y", dataType: .float32, shape: [1, 4])])
/// ])
/// let model = try ModelLoader(backends: [echo]).model(at: path)
/// #expect(try model.run([1, 2, 3, 4])["y"] == [1, 2, 3, 4] as [Float])
/// #expect(echo.record.violations.isEmpty)
/// ```
public struct EchoBackend: Backend {
  public var name: String
  public var matchesLayersByName: Bool
  /// The signatures of every model that isn't in ``signaturesByFile``.
  public var signatures: [SignatureDescription]
  /// The signatures of individual models, by the name of their file.
  public var signaturesByFile: [String: [SignatureDescription]]
  /// The behaviour of the models.
  public var behaviour: Behaviour
  /// The record of what happened to the models.
  public let record: EchoRecord

  /// Makes a backend.
  ///
  /// - Parameters:
  ///   - signatures: The signatures of its models.
  ///   - signaturesByFile: The signatures of individual models, by the name of their file.
  ///   - name: The backend's name, as used for `backend` in model.json.
  ///   - matchesLayersByName: Whether layers are matched to tensors by name rather than by order.
  ///   - behaviour: The behaviour of the models.
  public init(
    _ signatures: [SignatureDescription],
    signaturesByFile: [String: [SignatureDescription]] = [:], name: String = "tflite",
    matchesLayersByName: Bool = false, behaviour: Behaviour = Behaviour()
  ) {
    self.signatures = signatures
    self.signaturesByFile = signaturesByFile
    self.name = name
    self.matchesLayersByName = matchesLayersByName
    self.behaviour = behaviour
    self.record = EchoRecord()
  }

  /// The behaviour of an ``EchoBackend``'s models.
  public struct Behaviour: Sendable {
    /// The axes of an input whose length can be changed.
    public var resizing: Resizing
    /// Whether the items of a batch affect each other, as in a model that normalizes over its
    /// batch.
    ///
    /// If so, each output byte is increased by the number of items minus one.
    public var mixesItems: Bool
    /// A closure that is called at the start of every run with the number of items.
    ///
    /// It is called on the run's own thread, and may wait, count, or throw an error.
    public var onRun: (@Sendable (_ items: Int) throws -> Void)?

    /// Makes a behaviour.
    public init(
      resizing: Resizing = .openAxes, mixesItems: Bool = false,
      onRun: (@Sendable (_ items: Int) throws -> Void)? = nil
    ) {
      self.resizing = resizing
      self.mixesItems = mixesItems
      self.onRun = onRun
    }
  }

  /// The axes of an input whose length can be changed.
  public enum Resizing: Sendable {
    /// The axes that the description leaves open with -1.
    case openAxes
    /// The open axes and the first axis of every input.
    case firstAxis
  }

  /// Loads a model.
  ///
  /// The file or folder must exist, but its contents don't matter.
  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    guard FileSystem.isFile(path) || FileSystem.isFolder(path) else {
      throw TensorIOError(.fileNotFound, "There is no model '\(path)'.")
    }
    record.note { $0.loads += 1 }
    return EchoModel(
      signatures: signaturesByFile[FileSystem.name(of: path)] ?? signatures, behaviour: behaviour,
      record: record)
  }
}

struct EchoModel: LoadedModel {
  let signatures: [SignatureDescription]
  let behaviour: EchoBackend.Behaviour
  let record: EchoRecord

  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    record.note { $0.sessions += 1 }
    return EchoSession(signature, behaviour, record)
  }
}

/// A record of what happened to the models of an ``EchoBackend``.
///
/// It reveals misuse that a native library wouldn't report: two threads that use a session at once.
public final class EchoRecord: Sendable {
  struct Counts {
    var loads = 0
    var sessions = 0
    var runs: [Int] = []
    var resizes: [[[Int]]] = []
    var running = 0
    var mostRunning = 0
    var violations: [String] = []
  }

  private let counts = Mutex(Counts())

  init() {}

  /// The number of models that were loaded.
  public var loads: Int { counts.withLock { $0.loads } }
  /// The number of sessions that were made.
  public var sessions: Int { counts.withLock { $0.sessions } }
  /// The number of items of every run, in order.
  public var runs: [Int] { counts.withLock { $0.runs } }
  /// The input shapes of every accepted resize, in order.
  public var resizes: [[[Int]]] { counts.withLock { $0.resizes } }
  /// The maximum number of runs that were in progress at once, over all sessions.
  public var mostConcurrentRuns: Int { counts.withLock { $0.mostRunning } }
  /// The calls that overlapped another call in the same session; empty when sessions are used
  /// correctly.
  public var violations: [String] { counts.withLock { $0.violations } }

  func note(_ change: (inout Counts) -> Void) {
    counts.withLock { change(&$0) }
  }
}
