// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
public import ModelRepositoryAPI
import Synchronization
import TensorIO

/// Fetches models from a repository, verifies them, and keeps them in a crash-safe cache.
///
/// ```swift
/// var configuration = ModelRepositoryConfiguration(
///   server: "https://models.example.com", keys: [try VerificationKey(text)], folder: "models")
/// let client = try ModelRepositoryClient(configuration)
/// for try await progress in client.download(digits) { show(progress) }
/// let model = try client.installed(digits).load(with: loader)
/// ```
///
/// A process keeps the version that it started with, unless a document marks that version as
/// unsafe. A version that is downloaded meanwhile is used from the next start. Any number of
/// processes and clients may share a folder.
public final class ModelRepositoryClient: Sendable {
  /// The identifier that rollouts use for this installation.
  public let installationID: String

  let configuration: ModelRepositoryConfiguration
  let cache: CacheFolder
  let chosen = Mutex(Chosen())
  /// The lock that is held while a version is chosen.
  ///
  /// Choosing can take long, whereas ``chosen`` is only locked briefly.
  let choosing = Mutex(())
  let server: RepositoryAddress
  /// The folder of this installation's models.
  let modelsFolder: String
  let downloads = DownloadCoalescer()

  /// Opens the cache, or creates it, without fetching anything.
  ///
  /// - Parameter configuration: The server, the trusted keys, and the cache's folder.
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
      "The configuration has neither keys nor a root document, so nothing could be trusted.")
    _ = try configuration.trust()
    try require(!configuration.folder.isEmpty, "The configuration has no folder for the cache.")
    try require(
      configuration.retries >= 0,
      "retries is \(configuration.retries), but it must not be negative.")
    try require(
      configuration.stallTimeout > .zero && configuration.connectTimeout > .zero
        && configuration.retryDelay >= .zero,
      "The timeouts must be greater than 0, and the retry delay must not be negative.")
    if let id = configuration.installationID {
      try require(
        (1...200).contains(id.utf8.count),
        "The installation's ID must have 1 to 200 bytes.")
    }
    self.configuration = configuration
    server = try RepositoryAddress(
      server: configuration.server,
      allowsInsecureConnections: configuration.allowsInsecureConnections)
    (cache, installationID, modelsFolder) = try ModelRepositoryClientError.converting {
      let cache = try CacheFolder(configuration.folder, environment)
      let id = try configuration.installationID ?? cache.installationID()
      return (cache, id, try cache.models(of: id))
    }
  }

  // MARK: - Downloading

  /// Downloads the newest version for this installation, unless it is already in the cache.
  ///
  /// The stream ends when the version is on disk and verified. The next process that asks for the
  /// model uses it. Leaving the stream, or cancelling the task that reads it, cancels the download
  /// unless another caller also waits for it. The bytes received so far are kept, and the next
  /// download resumes from them.
  ///
  /// - Parameters:
  ///   - model: The model's name.
  ///   - conditions: When the model may be downloaded. They are checked now, before anything is
  ///     fetched.
  /// - Returns: A stream of progress values. Its errors are of the type
  ///   ``ModelRepositoryClientError``.
  public func download(
    _ model: RepositoryName, conditions: DownloadConditions = DownloadConditions()
  ) -> AsyncThrowingStream<DownloadProgress, any Error> {
    events(model, conditions, onProgress: { $0 }, onEnd: { _ in nil })
  }

  /// Downloads the newest version for this installation and waits until it is in the cache.
  ///
  /// - Parameters:
  ///   - model: The model's name.
  ///   - conditions: When the model may be downloaded.
  /// - Returns: The version, which the next process that asks for the model uses.
  /// - Throws: ``ModelRepositoryClientError``.
  public func update(
    _ model: RepositoryName, conditions: DownloadConditions = DownloadConditions()
  ) async throws -> InstalledModel.Version {
    let versions: AsyncThrowingStream<InstalledModel.Version, any Error> = events(
      model, conditions, onProgress: { _ in nil }, onEnd: { $0 })
    for try await version in versions { return version }
    throw ModelRepositoryClientError(CancellationError())
  }

  /// Joins or starts a download, and returns a stream of what the closures make of its progress and
  /// its result.
  private func events<Event: Sendable>(
    _ model: RepositoryName, _ conditions: DownloadConditions,
    onProgress: @escaping @Sendable (DownloadProgress) -> Event?,
    onEnd: @escaping @Sendable (InstalledModel.Version) -> Event?
  ) -> AsyncThrowingStream<Event, any Error> {
    let (stream, continuation) = AsyncThrowingStream<Event, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(16))
    do {
      try cache.environment.device.check(conditions, model.text)
    } catch {
      continuation.finish(throwing: error)
      return stream
    }
    let leave = downloads.join(model, work(model)) { progress in
      if let event = onProgress(progress) { continuation.yield(event) }
    } onEnd: { result in
      switch result {
      case .success(let version):
        if let event = onEnd(version) { continuation.yield(event) }
        continuation.finish()
      case .failure(let error): continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { reason in
      if case .cancelled = reason { leave() }
    }
    return stream
  }

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
          // Removing unused files may free enough space for the new version.
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
    try await ModelDownload(
      onSafety: { self.forget(model, unsafeBy: $0) }, onProgress: onProgress,
      folder: folder(of: model), configuration: configuration, installationID: installationID,
      exchange: try RepositoryExchange(server: server, configuration: configuration)
    ).run()
  }

  /// Removes the files that no model uses.
  ///
  /// - Returns: The number of bytes that were freed, or 0 if removing failed. The next download
  ///   tries again.
  private func tidy() async throws -> Int {
    do {
      return try await BlockingWork.run { try self.removeUnused() }
    } catch let error as ModelRepositoryClientError
      where error.cause is FileError || error.cause is CocoaError || error.cause is TensorIOError
    {
      return 0
    }
  }
}
#endif
