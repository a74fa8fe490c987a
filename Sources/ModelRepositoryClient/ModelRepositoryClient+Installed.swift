// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import ModelRepositoryAPI
import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ModelRepositoryClient {
  /// What this process uses.
  struct Chosen {
    var choices: [RepositoryName: Choice] = [:]
    /// Manifests of versions that failed in this process.
    var failed: Set<BlobDigest> = []
  }

  /// The version of a model that this process uses.
  struct Choice {
    var entry: ModelState.Entry?
    var path: String
    var format: VersionManifest.Format
    var source: InstalledModel.Source
    /// Keeps others from removing the files.
    var claim: FileLock?
    /// Locked as long as nobody knows how loading went.
    var attempt: (name: String, lock: FileLock)?
  }

  /// How many attempts may fail before a version is quarantined.
  private static let maximumFailures = 2

  /// The model to load in this process.
  ///
  /// The first call activates what was downloaded, after it hashed all files; later calls return the
  /// same. What is damaged or failed is passed over: the version before it is used then, or the
  /// program's own model.
  ///
  /// Every process that asks for a version that is not proven has to call ``markLoaded(_:)`` or
  /// ``reportFailure(_:)``, or `InstalledModel.load(with:)`, which does: a process that ends without it
  /// counts as crashed, and two of those quarantine the version. To look only, use ``models()``.
  ///
  /// - Parameter model: The model.
  /// - Returns: Where it lies, and what is known of it.
  /// - Throws: ``ModelRepositoryClientError`` with `.notFound` when there is none, `.unsafeVersion` or
  ///   `.quarantined` when that is why; `.cannotWrite`.
  public func installed(_ model: RepositoryName) throws -> InstalledModel {
    let (choice, isNew) = try choosing.withLock { _ in
      if let choice = chosen.withLock({ $0.choices[model] }) { return (choice, false) }
      do {
        let choice = try choose(model)
        chosen.withLock { $0.choices[model] = choice }
        return (choice, true)
      } catch {
        throw ModelRepositoryClientError(error)
      }
    }
    // Outside of the lock: who is told may ask for a model.
    if isNew {
      configuration.onExposure?(
        Exposure(
          installationID: installationID, model: model, channel: configuration.channel,
          version: choice.entry?.release.version, arm: choice.entry?.arm, source: choice.source))
    }
    return made(choice, model)
  }

  private func made(_ choice: Choice, _ model: RepositoryName) -> InstalledModel {
    InstalledModel(
      model: model, version: choice.entry?.release.version,
      sequence: choice.entry?.release.sequence ?? 0, manifest: choice.entry?.digest,
      path: choice.path, format: choice.format, arm: choice.entry?.arm,
      parameters: choice.entry?.parameters ?? [:], source: choice.source, client: self)
  }

  // MARK: - Choosing

  private func choose(_ model: RepositoryName) throws -> Choice {
    let folder = folder(of: model)
    let found: Choice?
    var failure: FileFailure?
    do {
      found = try folder.withState { state in
        countFailures(in: &state, folder)
        try activate(&state, folder)
        return try choice(from: &state, folder, countsAttempt: true)
      }
    } catch let error as FileFailure where error.isDiskFull || error.isReadOnly {
      // Nothing can be activated, but what was proven needs no account.
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
        "The repository's versions of '\(model)' cannot be used, and the program's own model is not "
          + "at '\(path)'.")
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
        "Version '\(release.version)' of '\(model)' failed twice, and there is no other one.")
    }
    if let release = state.deletedAsUnsafe, state.entries.isEmpty {
      return ModelRepositoryClientError(
        .unsafeVersion,
        "Version '\(release.version)' of '\(model)' was unsafe and was deleted; there is no other "
          + "one. Download the model.")
    }
    return ModelRepositoryClientError(
      .notFound,
      state.entries.isEmpty
        ? "There is no version of '\(model)' on this computer. Download it first."
        : "All versions of '\(model)' on this computer are damaged. Download it anew.")
  }

  /// Attempts of processes that are gone have failed.
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

  /// Makes what was downloaded the active version.
  private func activate(_ state: inout ModelState, _ folder: ModelFolder) throws {
    guard let pending = state.pending, !hasFailed(pending), try folder.verify(pending) else {
      return
    }
    try cache.environment.reached(.versionVerified)
    let others = [state.active, state.previous].compactMap { $0 }
    // One that was loaded before is what to fall back to.
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
        if let lock = try FileLock.trying(on: "\(folder.attempts)/\(name)", makingFile: true) {
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

  /// Drops what this process uses when it turns out to be unsafe, or to be a thief's.
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

  /// Whether a model's version was loaded before; the program's own counts as such.
  func isProven(_ model: InstalledModel) -> Bool {
    chosen.withLock { chosen in
      guard let entry = chosen.choices[model.model]?.entry, entry.digest == model.manifest else {
        return model.manifest == nil
      }
      return entry.isProven
    }
  }

  /// Says that a model was loaded and works: its version is proven from now on.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  public func markLoaded(_ model: InstalledModel) throws {
    try settle(model) { state, digest, _ in
      state.update(digest) { $0.isProven = true }
      state.attempts[digest.hexadecimal] = nil
    }
    chosen.withLock { $0.choices[model.model]?.entry?.isProven = true }
  }

  /// Says that a model could not be loaded: this process uses another version from now on, and the
  /// second failure quarantines the version for all.
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
      // What was proven once, and fails now, has to prove itself again.
      state.update(digest) { $0.isProven = false }
      if attempts.failed >= Self.maximumFailures { state.quarantine(entry) }
    }
    chosen.withLock { chosen in
      if chosen.choices[model.model]?.entry?.digest == digest { chosen.choices[model.model] = nil }
    }
  }

  /// Says that loading a model was not tried, or that the program is to blame.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  package func withdrawAttempt(_ model: InstalledModel) throws {
    try settle(model) { state, digest, attempt in
      state.attempts[digest.hexadecimal]?.running.removeAll { $0 == attempt }
    }
  }

  /// Forgets which versions of a model failed: the caller tries them in a process of their own.
  ///
  /// Attempts of processes that are still running count as before.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite` or `.diskFull`.
  package func forgetFailures(of model: RepositoryName) throws {
    let folder = folder(of: model)
    do {
      try folder.withState { state in
        state.quarantined = []
        state.attempts = state.attempts.mapValues { attempts in
          ModelState.Attempts(
            running: attempts.running.filter { FileLock.isHeld("\(folder.attempts)/\($0)") })
        }
      }
    } catch {
      throw ModelRepositoryClientError(error)
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
    do {
      try folder(of: model.model).withState { try change(&$0, digest, attempt) }
    } catch {
      throw ModelRepositoryClientError(error)
    }
    // The lock only goes when the state does not name it any more, else it would count as a crash.
    chosen.withLock { chosen in
      if chosen.choices[model.model]?.entry?.digest == digest {
        chosen.choices[model.model]?.attempt = nil
      }
    }
  }
}
#endif
