// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
public import ModelRepositoryAPI
import Synchronization

extension ModelRepositoryClient {
  /// The versions that this process uses, and the ones that failed in it.
  struct Chosen {
    var choices: [RepositoryName: Choice] = [:]
    /// The manifest digests of versions that failed in this process.
    var failed: Set<BlobDigest> = []
  }

  /// The version of a model that this process uses.
  struct Choice {
    var entry: ModelState.Entry?
    var path: String
    var format: VersionManifest.Format
    var source: InstalledModel.Source
    /// A shared lock that stops other processes from removing the files.
    var claim: FileLock?
    /// The running attempt, locked until the caller reports how loading went.
    var attempt: (name: String, lock: FileLock)?
  }

  /// The number of failed attempts after which a version is quarantined.
  private static let maximumFailures = 2

  /// Returns the model to load in this process.
  ///
  /// The first call verifies the downloaded files against their digests and activates the new
  /// version. Later calls return the same version. If a version is damaged or has failed, the
  /// client uses the previous version instead, or the model that the program bundles.
  ///
  /// If the version isn't proven yet, the process must call ``markLoaded(_:)`` or
  /// ``reportFailure(_:)``, or use `InstalledModel.load(with:)`, which calls them. A process that
  /// ends without reporting counts as crashed, and two crashes quarantine the version. To inspect
  /// models without loading them, use ``models()``.
  ///
  /// - Parameter model: The model's name.
  /// - Returns: The model's path, version and parameters.
  /// - Throws: ``ModelRepositoryClientError`` with `.notFound` if no version can be used,
  ///   `.unsafeVersion` or `.quarantined` if that is the reason, or `.cannotWrite`.
  public func installed(_ model: RepositoryName) throws -> InstalledModel {
    let (choice, isNew) = try choosing.withLock { _ in
      if let choice = chosen.withLock({ $0.choices[model] }) { return (choice, false) }
      return try ModelRepositoryClientError.converting {
        let choice = try choose(model)
        chosen.withLock { $0.choices[model] = choice }
        return (choice, true)
      }
    }
    // Call the handler without the lock, because the handler may ask for a model itself.
    if isNew {
      configuration.onExposure?(
        Exposure(
          installationID: installationID, model: model, channel: configuration.channel,
          version: choice.entry?.release.version, arm: choice.entry?.arm, source: choice.source))
    }
    return InstalledModel(
      model: model, version: choice.entry?.release.version,
      sequence: choice.entry?.release.sequence ?? 0, manifest: choice.entry?.digest,
      path: choice.path, format: choice.format, arm: choice.entry?.arm,
      parameters: choice.entry?.parameters ?? [:], source: choice.source, client: self)
  }

  // MARK: - Choosing

  private func choose(_ model: RepositoryName) throws -> Choice {
    let folder = folder(of: model)
    let found: Choice?
    var failure: FileError?
    do {
      found = try folder.withState { state in
        countFailures(in: &state, folder)
        try activate(&state, folder)
        return try choice(from: &state, folder, countsAttempt: true)
      }
    } catch let error as FileError where error.isDiskFull || error.isReadOnly {
      // Nothing can be activated, but proven versions can be used without writing the state.
      var state = try folder.readState()
      state.pending = nil
      if state.active?.isProven == false { state.active = nil }
      if state.previous?.isProven == false { state.previous = nil }
      found = try choice(from: &state, folder, countsAttempt: false)
      failure = error
    }
    if let found { return found }
    guard let path = configuration.bundled[model] else {
      throw try failure ?? missing(model, folder.readState())
    }
    guard FileManager.default.fileExists(atPath: path) else {
      throw ModelRepositoryClientError(
        .notFound,
        "No downloaded version of '\(model)' can be used, and the model that comes with the "
          + "program isn't at '\(path)'.")
    }
    return Choice(
      path: path, format: path.hasSuffix(".tflite") ? .tflite : .bundle, source: .bundled)
  }

  private func missing(
    _ model: RepositoryName, _ state: ModelState
  ) -> ModelRepositoryClientError {
    if let release = state.quarantined.last {
      return ModelRepositoryClientError(
        .quarantined,
        "Version '\(release.version)' of '\(model)' failed twice on this computer, and there is no "
          + "other version.")
    }
    if let release = state.deletedAsUnsafe, state.entries.isEmpty {
      return ModelRepositoryClientError(
        .unsafeVersion,
        "Version '\(release.version)' of '\(model)' was unsafe and has been deleted, and there is "
          + "no other version. Download the model again.")
    }
    return ModelRepositoryClientError(
      .notFound,
      state.entries.isEmpty
        ? "There is no version of '\(model)' on this computer. Download it first."
        : "All versions of '\(model)' on this computer are damaged. Download the model again.")
  }

  /// Counts the attempts of processes that no longer run as failures.
  private func countFailures(in state: inout ModelState, _ folder: ModelFolder) {
    for entry in state.entries where !entry.isProven {
      let key = entry.digest.hexadecimal
      guard var attempts = state.attempts[key] else { continue }
      let alive = attempts.running.filter { name in
        FileLock.isHeld("\(folder.attempts)/\(name)")
      }
      attempts.failed += attempts.running.count - alive.count
      attempts.running = alive
      state.attempts[key] = attempts
      if attempts.failed >= Self.maximumFailures { state.quarantine(entry) }
    }
  }

  /// Makes the downloaded version the active one.
  private func activate(_ state: inout ModelState, _ folder: ModelFolder) throws {
    guard let pending = state.pending, !hasFailed(pending), try folder.verify(pending) else {
      return
    }
    try cache.environment.reached(.versionVerified)
    let others = [state.active, state.previous].compactMap { $0 }
    // Prefer a version that was loaded before as the fallback.
    state.previous =
      try (others.filter(\.isProven) + others.filter { !$0.isProven })
      .first { try $0.digest != pending.digest && folder.verify($0) }
    state.active = pending
    state.pending = nil
  }

  private func choice(
    from state: inout ModelState, _ folder: ModelFolder, countsAttempt: Bool
  ) throws -> Choice? {
    let candidates: [(ModelState.Entry?, InstalledModel.Source)] = [
      (state.active, .repository), (state.previous, .previous),
    ]
    for case (let entry?, let source) in candidates {
      guard !hasFailed(entry), try folder.verify(entry) else { continue }
      let path = folder.path(of: entry)
      var choice = Choice(
        entry: entry, path: path, format: entry.format, source: source,
        claim: try FileLock.trying(.shared, on: path))
      if countsAttempt && !entry.isProven {
        let name = UUID().uuidString
        if let lock = try FileLock.trying(on: "\(folder.attempts)/\(name)", creatingWith: 0o600) {
          choice.attempt = (name, lock)
          state.attempts[entry.digest.hexadecimal, default: .init()].running.append(name)
        }
        try cache.environment.reached(.attemptMade)
      }
      return choice
    }
    return nil
  }

  private func hasFailed(_ entry: ModelState.Entry) -> Bool {
    chosen.withLock { $0.failed.contains(entry.digest) }
  }

  /// Drops this process's choice if it is unsafe or if only revoked keys signed it.
  func forget(_ model: RepositoryName, unsafeBy document: TrustedDocument) {
    chosen.withLock { chosen in
      if let entry = chosen.choices[model]?.entry,
        entry.release.sequence < document.content.minimumSafeSequence
          || entry.isVouchedFor(onlyBy: document.revoked)
            && !document.content.manifests.contains(entry.digest)
      {
        chosen.choices[model] = nil
      }
    }
  }

  // MARK: - Accounts

  /// Returns whether a model's version was loaded before.
  ///
  /// The program's bundled model counts as proven.
  func isProven(_ model: InstalledModel) -> Bool {
    chosen.withLock { chosen in
      guard let entry = chosen.choices[model.model]?.entry, entry.digest == model.manifest else {
        return model.manifest == nil
      }
      return entry.isProven
    }
  }

  /// Records that a model was loaded and works, so that its version is proven.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  public func markLoaded(_ model: InstalledModel) throws {
    try settle(model) { state, digest, _ in
      state.update(digest) { $0.isProven = true }
      state.attempts[digest.hexadecimal] = nil
    }
    chosen.withLock { $0.choices[model.model]?.entry?.isProven = true }
  }

  /// Records that a model could not be loaded.
  ///
  /// From then on this process uses another version. The second failure quarantines the version for
  /// all processes.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  public func reportFailure(_ model: InstalledModel) throws {
    guard let digest = model.manifest else { return }
    let isNew = chosen.withLock { $0.failed.insert(digest).inserted }
    try settle(model) { state, digest, attempt in
      guard isNew, let entry = state.entries.first(where: { $0.digest == digest }) else { return }
      var attempts = state.attempts[digest.hexadecimal] ?? ModelState.Attempts()
      attempts.failed += 1
      attempts.running.removeAll { $0 == attempt }
      state.attempts[digest.hexadecimal] = attempts
      // A proven version that fails must be proven again.
      state.update(digest) { $0.isProven = false }
      if attempts.failed >= Self.maximumFailures { state.quarantine(entry) }
    }
    chosen.withLock { chosen in
      if chosen.choices[model.model]?.entry?.digest == digest { chosen.choices[model.model] = nil }
    }
  }

  /// Records that the model wasn't loaded, or that the failure was the program's fault.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  package func withdrawAttempt(_ model: InstalledModel) throws {
    try settle(model) { state, digest, attempt in
      state.attempts[digest.hexadecimal]?.running.removeAll { $0 == attempt }
    }
  }

  /// Forgets which versions of a model failed.
  ///
  /// Use this when the caller tries versions in a separate process.
  ///
  /// Attempts of processes that are still running continue to count.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  package func forgetFailures(of model: RepositoryName) throws {
    let folder = folder(of: model)
    try ModelRepositoryClientError.converting {
      try folder.withState { state in
        state.quarantined = []
        state.attempts = state.attempts.mapValues { attempts in
          ModelState.Attempts(
            running: attempts.running.filter { FileLock.isHeld("\(folder.attempts)/\($0)") })
        }
      }
    }
  }

  private func settle(
    _ model: InstalledModel,
    _ change: (inout ModelState, BlobDigest, _ attempt: String?) throws -> Void
  ) throws {
    guard let digest = model.manifest else { return }
    let attempt = chosen.withLock { chosen in
      chosen.choices[model.model].flatMap { $0.entry?.digest == digest ? $0.attempt?.name : nil }
    }
    try ModelRepositoryClientError.converting {
      try folder(of: model.model).withState { try change(&$0, digest, attempt) }
    }
    // Release the lock only after the state has stopped naming it. Otherwise the attempt would
    // count as a crash.
    chosen.withLock { chosen in
      if chosen.choices[model.model]?.entry?.digest == digest {
        chosen.choices[model.model]?.attempt = nil
      }
    }
  }
}
#endif
