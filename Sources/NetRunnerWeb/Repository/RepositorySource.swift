// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import ModelRepositoryClient
import NIOPosix
import NetRunner
import Synchronization
import TensorIO

/// The repository that models are imported from by name.
///
/// All that comes from there is verified as ``ModelRepositoryClient`` does: by the keys that the server
/// was started with. Who started it chose the address, so it may be in any network.
final class RepositorySource: Sendable {
  let configuration: ModelRepositoryConfiguration
  /// Looks at what there is; each import has a client of its own, which uses what is newest.
  private let client: ModelRepositoryClient
  private let listing = Mutex<Task<ModelOffers, any Error>?>(nil)

  /// How many of the repository's models are listed.
  private static let maximumModels = 500

  /// Prepares a source; nothing is fetched.
  ///
  /// - Parameters:
  ///   - configuration: The repository, and whom to trust.
  ///   - maximumBytes: The most bytes that a version may have.
  /// - Throws: `TensorIOError` for what makes no sense, and a cache that cannot be written.
  init(_ configuration: ModelRepositoryConfiguration, maximumBytes: Int) throws {
    var configuration = configuration
    configuration.maximumBytes = min(configuration.maximumBytes, maximumBytes)
    while configuration.server.hasSuffix("/") { configuration.server.removeLast() }
    self.configuration = configuration
    do {
      client = try ModelRepositoryClient(configuration)
    } catch let error as ModelRepositoryClientError {
      throw TensorIOError(.invalidOption, "The repository: \(error.message)", cause: error)
    }
  }

  /// What the page says of it.
  var json: JSONValue {
    .object([
      "address": .string(configuration.server), "channel": .string(configuration.channel.text),
    ])
  }

  /// What the repository has; who asks while it is asked gets the same answer.
  ///
  /// - Throws: `ModelRepositoryClientError`.
  func offers() async throws -> ModelOffers {
    let task = listing.withLock { listing in
      if let listing { return listing }
      let task = Task {
        defer { self.listing.withLock { $0 = nil } }
        return try await client.offers(upTo: Self.maximumModels)
      }
      listing = task
      return task
    }
    return try await task.value
  }

  /// Brings the version that the channel gives to the cache.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - known: The origin of the model that is here, if it is from there.
  ///   - onProgress: Told the bytes that are there, of the signed size.
  /// - Returns: A client that uses this version.
  /// - Throws: `ModelRepositoryClientError`; ``ImportError`` for what is no bundle, or older than what
  ///   is known.
  func fetch(
    _ model: RepositoryName, known: BundleOrigin?,
    _ onProgress: @escaping @Sendable (_ received: Int, _ total: Int) -> Void
  ) async throws -> ModelRepositoryClient {
    do {
      let offer = try await client.offer(of: model)
      // Said before anything is fetched; the same is asked again of what came.
      try check(offer, known: known)
      onProgress(0, offer.release.size)
      return try await download(model, onProgress)
    } catch let error as ModelRepositoryClientError {
      throw shown(error)
    }
  }

  private func download(
    _ model: RepositoryName,
    _ onProgress: @escaping @Sendable (_ received: Int, _ total: Int) -> Void
  ) async throws -> ModelRepositoryClient {
    let client = try await NIOThreadPool.singleton.runIfActive { [configuration] in
      let client = try ModelRepositoryClient(configuration)
      // Every import tries the model by itself. What failed before may have been a server that was
      // killed before it had copied the files.
      try client.forgetFailures(of: model)
      return client
    }
    for try await progress in client.download(model) {
      onProgress(progress.receivedBytes, progress.totalBytes)
    }
    // A cancelled task's stream ends as one does that is complete.
    try Task.checkCancellation()
    return client
  }

  /// The version that was fetched: every file was hashed, and nobody removes it while the client lives.
  ///
  /// It blocks its thread.
  ///
  /// - Returns: The folder of its files, in which nothing may be written, and where it came from.
  /// - Throws: `ModelRepositoryClientError`; ``ImportError`` for what is no bundle.
  func version(
    of model: RepositoryName, from client: ModelRepositoryClient
  ) throws -> (path: String, origin: BundleOrigin) {
    let state: InstalledModel.State?
    let installed: InstalledModel
    do {
      state = try client.models().first { $0.model == model }
      installed = try client.installed(model)
      // Whether it works is seen where it is copied to; the cache only keeps it.
      try client.withdrawAttempt(installed)
    } catch let error as ModelRepositoryClientError {
      throw shown(error)
    }
    guard let fetched = state?.pending ?? state?.active, fetched.manifest == installed.manifest,
      let document = state?.documentVersions[configuration.channel]
    else {
      throw ModelRepositoryClientError(
        .corrupt,
        "The files of '\(model)' changed after they were fetched. Import the model again.")
    }
    try requireBundle(installed.format, model, fetched.version)
    return (
      installed.path,
      BundleOrigin(
        repository: configuration.server, channel: configuration.channel.text, model: model.text,
        version: fetched.version.text, manifest: "\(fetched.manifest)", documentVersion: document)
    )
  }

  /// Whether a version could be imported, as far as can be seen before it is fetched.
  ///
  /// - Parameters:
  ///   - offer: What the repository gives.
  ///   - known: The origin of the model that is here, if it is from there.
  /// - Throws: ``ImportError``: `replayed`, `noBundle` or `tooLarge`.
  func check(_ offer: ModelOffer, known: BundleOrigin?) throws(ImportError) {
    let (model, release) = (offer.model, offer.release)
    try BundleOrigin(
      repository: configuration.server, channel: configuration.channel.text, model: model.text,
      version: release.version.text, manifest: "\(release.manifest.digest)",
      documentVersion: offer.documentVersion
    ).refuseOlder(than: known)
    try requireBundle(offer.format, model, release.version)
    guard release.size <= configuration.maximumBytes else {
      throw ImportError(
        .tooLarge,
        "Version '\(release.version)' of '\(model)' has \(ByteCount(release.size)); Net Runner takes at "
          + "most \(ByteCount(configuration.maximumBytes)).")
    }
  }

  /// The error as who uses the page may see it, without this computer's folders, and can mend it.
  func shown(_ error: ModelRepositoryClientError) -> ModelRepositoryClientError {
    var shown = error
    shown.message.replace("\(configuration.folder)/", with: "")
    if error.code == .unauthorized {
      shown.message +=
        " Start Net Runner with a token that may read there, in"
        + " TENSORIO_REPOSITORY_TOKEN."
    }
    return shown
  }

  private func requireBundle(
    _ format: VersionManifest.Format, _ model: RepositoryName, _ version: RepositoryName
  ) throws(ImportError) {
    guard format == .bundle else {
      throw ImportError(
        .noBundle,
        "Version '\(version)' of '\(model)' is a .tflite file without a model.json, which says what its"
          + " picture is. Describe it with 'tensorio init', and push the bundle.")
    }
  }
}
#endif
