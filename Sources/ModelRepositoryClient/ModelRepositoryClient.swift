// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
public import ModelRepositoryAPI
import Synchronization
import TensorIO

/// Fetches models from a repository, verifies them, and keeps them where no crash can spoil them.
///
/// ```swift
/// var configuration = ModelRepositoryConfiguration(
///   server: "https://models.example.com", keys: [try VerificationKey(text)], folder: "models")
/// let client = try ModelRepositoryClient(configuration)
/// for try await progress in client.download(digits) { show(progress) }
/// let model = try client.installed(digits).load(with: loader)
/// ```
///
/// A process keeps the version that it began with, unless a document says that it is unsafe; what was
/// downloaded meanwhile is used from the next start. Any number of processes and of clients may share a folder.
public final class ModelRepositoryClient: Sendable {
  /// What rollouts tell this installation from others by.
  public let installationID: String

  let configuration: ModelRepositoryConfiguration
  let cache: CacheFolder
  let chosen = Mutex(Chosen())
  /// Held while a version is chosen, which takes long; ``chosen`` only for a moment.
  let choosing = Mutex(())
  let server: RepositoryAddress
  /// The folder of this installation's models.
  let modelsFolder: String
  private let downloads = DownloadCoalescer()

  /// Opens the cache, or makes it; nothing is fetched.
  ///
  /// - Parameter configuration: Where models come from, whom to trust, and where they are kept.
  /// - Throws: ``ModelRepositoryClientError`` with `.invalidConfiguration` or `.cannotWrite`.
  public convenience init(_ configuration: ModelRepositoryConfiguration) throws {
    try self.init(configuration, ClientEnvironment())
  }

  init(_ configuration: ModelRepositoryConfiguration, _ environment: ClientEnvironment) throws {
    func require(_ condition: Bool, _ message: String) throws {
      guard condition else { throw ModelRepositoryClientError(.invalidConfiguration, message) }
    }
    try require(
      !configuration.keys.isEmpty || configuration.root != nil,
      "No key is given: nothing could be trusted.")
    _ = try configuration.trust()
    try require(!configuration.folder.isEmpty, "No folder is given for the cache.")
    try require(
      configuration.retries >= 0, "retries is \(configuration.retries), which is negative.")
    try require(
      configuration.stallTimeout > .zero && configuration.connectTimeout > .zero
        && configuration.retryDelay >= .zero,
      "A timeout or the delay of repetitions is not positive.")
    if let id = configuration.installationID {
      try require((1...200).contains(id.utf8.count), "An installation's id has 1 to 200 bytes.")
    }
    self.configuration = configuration
    server = try RepositoryAddress(
      server: configuration.server,
      allowsInsecureConnections: configuration.allowsInsecureConnections)
    do {
      cache = try CacheFolder(configuration.folder, environment)
      installationID = try configuration.installationID ?? cache.installationID()
      modelsFolder = try cache.models(of: installationID)
    } catch {
      throw ModelRepositoryClientError(error)
    }
  }

  // MARK: - Downloading

  /// Fetches the newest version for this installation, unless it is there.
  ///
  /// The stream ends when the version is on disk and verified; the next process to ask for the model
  /// uses it. Leaving the stream, or cancelling the task that reads it, cancels the download, unless
  /// somebody else waits for it too; what has come is kept, and gone on with the next time.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - conditions: When it may be downloaded; looked at now, before anything is fetched.
  /// - Returns: The progress; its error is a ``ModelRepositoryClientError``.
  public func download(
    _ model: RepositoryName, conditions: DownloadConditions = DownloadConditions()
  ) -> AsyncThrowingStream<DownloadProgress, any Error> {
    let (stream, continuation) = AsyncThrowingStream<DownloadProgress, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(16))
    do {
      try cache.environment.device.check(conditions, model.text)
    } catch {
      continuation.finish(throwing: error)
      return stream
    }
    let leave = downloads.join(model, work(model)) { progress in
      continuation.yield(progress)
    } onEnd: { result in
      switch result {
      case .success: continuation.finish()
      case .failure(let error): continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { reason in
      if case .cancelled = reason { leave() }
    }
    return stream
  }

  /// Fetches the newest version for this installation, unless it is there, and waits for it.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - conditions: When it may be downloaded.
  /// - Returns: The version, which the next process to ask uses.
  /// - Throws: ``ModelRepositoryClientError``.
  public func update(
    _ model: RepositoryName, conditions: DownloadConditions = DownloadConditions()
  ) async throws -> InstalledModel.Version {
    try cache.environment.device.check(conditions, model.text)
    let (stream, continuation) = AsyncThrowingStream<InstalledModel.Version, any Error>.makeStream()
    let leave = downloads.join(model, work(model)) { _ in
    } onEnd: { result in
      switch result {
      case .success(let version):
        continuation.yield(version)
        continuation.finish()
      case .failure(let error): continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { reason in
      if case .cancelled = reason { leave() }
    }
    for try await version in stream { return version }
    throw ModelRepositoryClientError(CancellationError())
  }

  /// Ends the download of a model for all who wait for it.
  func cancelDownload(of model: RepositoryName) { downloads.cancel(model) }

  func folder(of model: RepositoryName) -> ModelFolder {
    ModelFolder(cache: cache, model: model, models: modelsFolder)
  }

  private func work(_ model: RepositoryName) -> DownloadCoalescer.Work {
    { [self] onProgress in
      do {
        let version: InstalledModel.Version
        do {
          version = try await fetch(model, onProgress)
        } catch {
          // What nothing names any more may be the room that the new version needs.
          guard ModelRepositoryClientError(error).code == .diskFull, try await tidy() > 0 else {
            throw error
          }
          version = try await fetch(model, onProgress)
        }
        _ = try await tidy()
        return version
      } catch {
        throw ModelRepositoryClientError(error)
      }
    }
  }

  private func fetch(
    _ model: RepositoryName, _ onProgress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws -> InstalledModel.Version {
    try await HTTPClient.withHTTPClient(
      configuration: RepositoryExchange.clientConfiguration(configuration)
    ) { client in
      try await ModelDownload(
        folder: folder(of: model), configuration: configuration, installationID: installationID,
        exchange: try RepositoryExchange(
          client: client, server: server, configuration: configuration),
        onSafety: { self.forget(model, unsafeBy: $0) }, onProgress: onProgress
      ).run()
    }
  }

  /// Removes what nothing names.
  ///
  /// - Returns: The bytes that it had; 0 where the disk refuses, and the next download tries again.
  private func tidy() async throws -> Int {
    do {
      return try await BlockingWork.run { try self.removeUnused() }
    } catch let error as ModelRepositoryClientError
      where error.cause is FileFailure || error.cause is CocoaError || error.cause is TensorIOError
    {
      return 0
    }
  }
}
#endif
