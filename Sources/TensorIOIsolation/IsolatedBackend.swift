// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
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
      ModelAddress(
        path: path, backend: name, modes: modes.rawValue, threads: options.threads,
        accelerator: options.accelerator, weights: options.weights),
      options: self.options)
  }
}

/// Options for starting the processes that run models, and their limits.
public struct IsolationOptions: Sendable {
  /// The path of the program that runs a model.
  ///
  /// It must call ``SessionWorker/serve(backends:memoryBytes:)``. The default is the running
  /// program itself with the argument `session-worker`, which works for `tensorio`.
  public var program: String
  /// The arguments of the program.
  public var arguments: [String]
  /// The maximum memory that the process may reserve for a model, in bytes.
  ///
  /// The default is 1 GiB, plus 256 MiB for the program itself. Three times the size of the model's
  /// file is added, for its weights.
  public var memoryBytes: Int
  /// The maximum time for loading and for the first run, in seconds.
  ///
  /// 0.15 seconds are added for each megabyte of the model's file, which a slow disk needs.
  public var firstAnswerSeconds: Double
  /// The maximum time for each later run, in seconds.
  public var runSeconds: Double
  /// How long a model that has ended three processes in a row isn't run, in seconds.
  ///
  /// The time is doubled, up to five times, each time that the model ends another process right
  /// after it.
  public var restSeconds: Double

  /// Makes options.
  public init(
    program: String = "/proc/self/exe", arguments: [String] = ["session-worker"],
    memoryBytes: Int = 1 << 30 + 256 << 20, firstAnswerSeconds: Double = 15,
    runSeconds: Double = 60, restSeconds: Double = 10
  ) {
    self.program = program
    self.arguments = arguments
    self.memoryBytes = memoryBytes
    self.firstAnswerSeconds = firstAnswerSeconds
    self.runSeconds = runSeconds
    self.restSeconds = restSeconds
  }
}

extension IsolationOptions {
  /// Returns the limits for a model whose file has the given size.
  ///
  /// The runtime keeps the file in memory, and copies its weights into its own order.
  package func allowing(fileOf bytes: Int) -> IsolationOptions {
    var options = self
    options.memoryBytes += 3 * bytes
    options.firstAnswerSeconds += (0.15 * Double(bytes) / 1e6).rounded(.down)
    return options
  }
}

/// A model that another process has loaded.
///
/// `@unchecked Sendable` because the spare process is only used under the lock.
final class IsolatedModel: LoadedModel, @unchecked Sendable {
  let signatures: [SignatureDescription]
  let keepsState: Bool

  let address: ModelAddress
  let options: IsolationOptions
  /// The process that reported the signatures, which the first session takes over.
  private var spare: WorkerProcess?
  private let lock = Mutex(())

  init(_ address: ModelAddress, options: IsolationOptions) throws {
    self.address = address
    let options = options.allowing(fileOf: FileSystem.byteCount(of: address.path) ?? 0)
    self.options = options
    let (worker, greeting) = try WorkerProcess.load(address, options)
    guard case .loaded(let signatures, let keepsState) = greeting, !signatures.isEmpty else {
      throw TensorIOError(.internalFault, "The process of '\(address.path)' returned no signature.")
    }
    self.signatures = signatures
    self.keepsState = keepsState
    spare = worker
  }

  func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription {
    lock.withLock { _ in
      // If the process cannot describe the layers, binding them will report the problem.
      guard let spare,
        case .success(.described(let description)) = Result(catching: {
          try spare.ask(.describe(layers, signature), within: options.firstAnswerSeconds)
        })
      else { return signature }
      return description
    }
  }

  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    let taken = lock.withLock { _ in
      defer { spare = nil }
      return spare
    }
    return try IsolatedSession(
      self, signature, taking: taken, cancellation: options.cancellation)
  }
}
