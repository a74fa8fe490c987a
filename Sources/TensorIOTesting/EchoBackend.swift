// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A backend in memory whose models give back what they are given: for tests of everything above a
/// backend, and the smallest example of one.
///
/// Output `i` holds the bytes of input `i`, counted around when there are more outputs than inputs.
/// An output that is longer than its input ends in zeros, a shorter one holds the first bytes; where
/// both have the same first axis, as in a batch, that goes for each item.
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
  /// The signatures of every model that ``signaturesByFile`` does not name.
  public var signatures: [SignatureDescription]
  /// The signatures of models by the name of their file.
  public var signaturesByFile: [String: [SignatureDescription]]
  /// How its models behave.
  public var behaviour: Behaviour
  /// What happened to its models.
  public let record: EchoRecord

  /// Makes a backend.
  ///
  /// - Parameters:
  ///   - signatures: What its models say of themselves.
  ///   - signaturesByFile: What single models say, by the name of their file.
  ///   - name: The name that model.json's `backend` takes.
  ///   - matchesLayersByName: Whether layers find their tensors by name; else by their order.
  ///   - behaviour: How its models behave.
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

  /// How the models of an ``EchoBackend`` behave.
  public struct Behaviour: Sendable {
    /// Which axes of an input can be given another length.
    public var resizing: Resizing
    /// Whether the items of a batch change each other: every byte then grows by the number of
    /// items less one, as in a model that normalizes over its batch.
    public var mixesItems: Bool
    /// Called at the start of every run with the number of items, on the run's own thread: to wait,
    /// to count, or to throw.
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

  /// Which axes of an input can be given another length.
  public enum Resizing: Sendable {
    /// Those that the description leaves open with -1.
    case openAxes
    /// The first of every input too.
    case firstAxis
  }

  /// Loads a model: there must be a file or folder, whatever it holds.
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

/// A model of an ``EchoBackend``.
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
