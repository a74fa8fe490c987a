// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import ModelRepositoryAPI
public import TensorIO

/// A model on disk that this process may load.
///
/// Its files were verified, unless the model came with the program.
public struct InstalledModel: Sendable {
  /// A version in the cache.
  public struct Version: Sendable, Hashable {
    /// The version's name.
    public var version: RepositoryName
    /// The version's number among all versions of the model in the order of publishing, from 1.
    public var sequence: Int
    /// The digest of its manifest, which identifies the version permanently.
    public var manifest: BlobDigest
    /// The format of its files.
    public var format: VersionManifest.Format
    /// The total size of its files, in bytes.
    public var size: Int
    /// The arm of the experiment that it was fetched for, or nil outside of one.
    public var arm: RepositoryName?
    /// The remote parameters.
    public var parameters: [String: String]
    /// Whether a process has reported that it loads; see ``ModelRepositoryClient/markLoaded(_:)``.
    public var isProven: Bool
  }

  /// The versions of a model in the cache.
  public struct State: Sendable, Hashable {
    /// The model's name.
    public var model: RepositoryName
    /// The version that new processes use.
    public var active: Version?
    /// The version that they use if the active one fails.
    public var previous: Version?
    /// The version that becomes active when the next process asks for the model.
    public var pending: Version?
    /// The manifest digests of versions that failed twice.
    public var quarantined: [BlobDigest]
    /// The version of the newest document that was seen, for each channel.
    public var documentVersions: [RepositoryName: Int]
  }

  /// Where a model came from.
  public enum Source: String, Sendable, Codable {
    /// The version that the channel's newest known document assigns to this installation.
    case repository
    /// The previous version, because the newer one is damaged, unsafe or quarantined.
    case previous
    /// The model that came with the program, because no other version can be used. Its bytes aren't
    /// verified.
    case bundled
  }

  /// The model's name.
  public let model: RepositoryName
  /// The version, or nil for a model that came with the program.
  public let version: RepositoryName?
  /// The version's number in the order of publishing, from 1, or 0 for a model that came with the
  /// program.
  public let sequence: Int
  /// The digest of its manifest, or nil for a model that came with the program.
  public let manifest: BlobDigest?
  /// The path of a `.tiobundle` folder or a `.tflite` file.
  ///
  /// Don't write to it.
  public let path: String
  /// Whether the path is a bundle or a `.tflite` file.
  public let format: VersionManifest.Format
  /// The arm of the experiment, or nil outside of one.
  public let arm: RepositoryName?
  /// The remote parameters.
  public let parameters: [String: String]
  /// Where the model came from.
  public let source: Source

  /// The client, which is kept alive because it holds the lock that stops other processes from
  /// removing the files.
  let client: ModelRepositoryClient
}

extension InstalledModel {
  /// Loads a bundle's model into memory and records the outcome.
  ///
  /// A version that loads and passes its trial is proven. A version that throws or ends the process
  /// twice is quarantined. Failures that the program or the computer causes, such as a missing
  /// backend or native library, don't count against the version.
  ///
  /// - Parameters:
  ///   - loader: The loader that makes the model.
  ///   - trial: A closure that tries a version that isn't proven, for example by running it on the
  ///     program's own values. Some models load, but fail or end the process when they run.
  /// - Returns: The loaded model.
  /// - Throws: `TensorIOError`, or ``ModelRepositoryClientError`` with `.unsupportedFormat` if the
  ///   version is a bare `.tflite` file, which doesn't describe its inputs.
  public func load(
    with loader: ModelLoader, trial: (any Model) throws -> Void = { _ in }
  ) throws -> any Model {
    guard format == .bundle else {
      throw ModelRepositoryClientError(
        .unsupportedFormat,
        "Version '\(version?.text ?? "bundled")' of '\(model)' is a .tflite file, not a bundle. "
          + "Load '\(path)' with an interpreter, then call markLoaded.")
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

  /// Loads the model and runs it once on zeros before it is used.
  ///
  /// With an `IsolatedBackend` the trial runs in a separate process, so a version that crashes only
  /// throws an error here. The failure is recorded, and ``ModelRepositoryClient/installed(_:)``
  /// returns the previous version. A version that passes isn't proven yet: call
  /// ``load(with:trial:)`` to prove it.
  ///
  /// ```swift
  /// try installed.tryOut(with: [IsolatedBackend(.liteRT)])
  /// let model = try installed.load(with: ModelLoader(backends: [.liteRT]))
  /// ```
  ///
  /// - Parameter backends: The backends that can run the model.
  /// - Throws: `TensorIOError` that says why the model can't be used.
  public func tryOut(with backends: [any Backend]) throws {
    do {
      try ModelTrial.run(path, with: backends)
    } catch {
      try noteFailure(error)
      throw error
    }
  }

  /// Records an error as the version's failure, unless the program or the computer caused it.
  ///
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

/// Loads an untrusted model and runs it once on zeros.
///
/// If the backends run models in separate processes, a model that crashes, or exceeds its limits of
/// memory or time, only fails its trial.
package enum ModelTrial {
  /// Tries the model of a bundle's folder or a `.tflite` file.
  ///
  /// - Throws: `TensorIOError` that says why the model can't be used. The code `.missingLibrary`
  ///   means that this computer couldn't try it.
  package static func run(_ path: String, with backends: [any Backend]) throws {
    if FileSystem.isFolder(path) {
      try InferenceModel.tryOut(ModelBundle(path), with: ModelLoader(backends: backends))
    } else {
      try runFile(path, with: backends)
    }
  }

  /// Tries a file without a bundle.
  ///
  /// Such a file doesn't describe its values, so each signature is run on zeros.
  private static func runFile(_ path: String, with backends: [any Backend]) throws {
    guard let backend = backends.first(where: { $0.name == "tflite" }) else {
      throw TensorIOError(
        .unknownBackend, "'\(path)' needs the backend 'tflite', which this program does not have.")
    }
    let model = try backend.loadModel(at: path, for: .predict, options: SessionOptions())
    for signature in model.signatures where !signature.outputs.isEmpty {
      let session = try model.makeSession(signature, options: SessionOptions())
      guard signature.inputs.allSatisfy({ $0.dataType != .string }) else { continue }
      for index in signature.inputs.indices {
        try session.withInput(at: index) { memory in
          for offset in 0..<memory.byteCount {
            memory.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
          }
        }
      }
      try session.run()
    }
  }
}
#endif
