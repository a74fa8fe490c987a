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
/// Everything that comes from there is verified by ``ModelRepositoryClient`` with the keys that the
/// server was started with. The person who started the server chose its address, so it may be in
/// any network.
final class RepositorySource: Sendable {
  let configuration: ModelRepositoryConfiguration
  /// Lists the models; each import has its own client, which uses the newest version.
  private let client: ModelRepositoryClient
  private let listing = Mutex<Task<ModelOffers, any Error>?>(nil)

  private static let maximumModels = 500

  init(_ configuration: ModelRepositoryConfiguration, maximumBytes: Int) throws {
    var configuration = configuration
    configuration.maximumBytes = min(configuration.maximumBytes, maximumBytes)
    while configuration.server.hasSuffix("/") { configuration.server.removeLast() }
    self.configuration = configuration
    do {
      client = try ModelRepositoryClient(configuration)
    } catch let error as ModelRepositoryClientError {
      throw TensorIOError(
        .invalidOption, "The repository can't be used: \(error.message)", cause: error)
    }
  }

  /// The repository as it appears in the API.
  var json: JSONObject {
    ["address": configuration.server, "channel": configuration.channel.text]
  }

  /// Returns what the repository offers.
  ///
  /// Callers share the result of a request that is already in progress.
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

  /// Downloads the channel's version of a model to the cache, and returns a client that uses it.
  ///
  /// `known` is the origin of the imported model. The progress ends at the signed size.
  func fetch(
    _ model: RepositoryName, known: BundleOrigin?,
    _ onProgress: @escaping @Sendable (_ received: Int, _ total: Int) -> Void
  ) async throws -> ModelRepositoryClient {
    do {
      let offer = try await client.offer(of: model)
      // Check before anything is fetched. What arrives is checked again.
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
      // Every import tries out the model itself. An earlier failure may only mean that the server
      // was killed before it had copied the files.
      try client.forgetFailures(of: model)
      return client
    }
    for try await progress in client.download(model) {
      onProgress(progress.receivedBytes, progress.totalBytes)
    }
    // A cancelled task's stream ends in the same way as a complete one.
    try Task.checkCancellation()
    return client
  }

  /// Returns the folder of the fetched files and its origin, blocking the calling thread.
  ///
  /// The files are hashed and must not be changed. They aren't removed while the client exists.
  func version(
    of model: RepositoryName, from client: ModelRepositoryClient
  ) throws -> (path: String, origin: BundleOrigin) {
    let state: InstalledModel.State?
    let installed: InstalledModel
    do {
      state = try client.models().first { $0.model == model }
      installed = try client.installed(model)
      // The cache only stores the model. The import tries out a copy of it, so this isn't an
      // attempt.
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
        "Version '\(release.version)' of '\(model)' has \(ByteCount(release.size)), but Net Runner "
          + "accepts at most \(ByteCount(configuration.maximumBytes)).")
    }
  }

  /// Returns an error without this machine's folders, that says how to fix a missing permission.
  func shown(_ error: ModelRepositoryClientError) -> ModelRepositoryClientError {
    var shown = error
    shown.message.replace("\(configuration.folder)/", with: "")
    if error.code == .unauthorized {
      shown.message +=
        " Set TENSORIO_REPOSITORY_TOKEN to a token that may read the repository, and start"
        + " Net Runner again."
    }
    return shown
  }

  private func requireBundle(
    _ format: VersionManifest.Format, _ model: RepositoryName, _ version: RepositoryName
  ) throws(ImportError) {
    guard format == .bundle else {
      throw ImportError(
        .noBundle,
        "Version '\(version)' of '\(model)' is a .tflite file without a model.json, which describes"
          + " its input image. Create a bundle with 'tensorio init', and push the bundle.")
    }
  }
}
#endif
