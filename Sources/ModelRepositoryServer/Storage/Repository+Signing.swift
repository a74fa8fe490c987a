// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows
import Synchronization

/// The signing keys, which may be changed while the server runs.
extension Repository {
  /// The current signing keys and root documents.
  var signing: SigningState { signingWatch.withLock { $0.state } }

  /// The keys that sign documents; empty if they are missing.
  var keys: [SigningKey] { signing.keys }

  /// The keys whose signatures are valid, whether or not their private keys are in the folder.
  var trustedKeys: [VerificationKey] {
    get throws {
      let signing = signing
      return try signing.root?.channels.verificationKeys() ?? signing.keys.map(\.verificationKey)
    }
  }

  /// Checks that documents can be signed.
  ///
  /// - Throws: ``RepositoryError`` with the code `.missingKeys`.
  func requireKeys() throws {
    if let fault = signing.fault { throw fault }
  }

  /// Reads the keys and the root documents again.
  ///
  /// - Throws: ``RepositoryError``. In that case, the previous keys stay in use.
  func reloadKeys() throws {
    let signers = try database.read { try SigningState.signers($0) }
    let state = try SigningState.load(folder, signers: signers, orMake: false, now: now)
    if let fault = state.fault { throw fault }
    signingWatch.withLock { $0.state = state }
  }

  /// Creates a new key and signs all documents with it, because the old keys are lost.
  func replaceLostKeys(with name: String) async throws -> VerificationKey {
    guard signing.root == nil else { throw RepositoryKeys.noRootKeys }
    let key = try SigningKeys.make(name, in: folder.keys)
    let state = try SigningState.load(folder, signers: [], orMake: false, now: now)
    signingWatch.withLock { $0.state = state }
    _ = try await renewDocuments()
    return key.verificationKey
  }

  /// Reads the keys again if their folders have changed; checks at most once a second.
  ///
  /// If the new keys can't be used, the readiness check reports it and the previous keys stay in
  /// use.
  func reloadChangedKeys() {
    guard signingWatch.withLock({ $0.isDue() }) else { return }
    let fingerprint = folder.signingFingerprint
    guard signingWatch.withLock({ $0.fingerprint != fingerprint }) || isKeyOver else { return }
    var problem: String?
    do {
      try reloadKeys()
    } catch {
      problem = "The signing keys cannot be used: \(error)"
    }
    signingWatch.withLock { ($0.fingerprint, $0.problem) = (fingerprint, problem) }
  }

  /// Whether one of the signing keys has expired.
  private var isKeyOver: Bool {
    let (state, now) = (signing, now)
    guard let root = state.root else { return false }
    let over = root.channels.keys.filter { ($0.expires ?? .distantFuture) <= now }.map(\.key)
    return state.keys.contains { over.contains($0.verificationKey.text) }
  }

  /// Renews the documents that are past half of their lifetime, or that were signed by other keys
  /// or by a clock that was ahead.
  ///
  /// A document is also renewed when a client requests it. This method handles the documents that
  /// nobody requests, and returns what the operator has to know.
  ///
  /// - Returns: The channels, as `MODEL/CHANNEL`, whose documents were issued by a clock that was
  ///   ahead.
  func renewDocuments() async throws -> [String] {
    let names = try await database.read { database in
      let sql = "SELECT DISTINCT model, channel FROM channel_documents"
      return try Row.fetchAll(database, sql: sql).compactMap {
        row -> (model: RepositoryName, channel: RepositoryName)? in
        guard let model = String.fromDatabaseValue(row["model"]).flatMap(RepositoryName.init),
          let channel = String.fromDatabaseValue(row["channel"]).flatMap(RepositoryName.init)
        else { return nil }
        return (model, channel)
      }
    }
    var early: [String] = []
    for (model, channel) in names {
      do {
        let state = try await database.read { try Self.channel(channel, of: model, $0) }
        guard let state, isOld(state) else { continue }
        if isEarly(state) { early.append("\(model)/\(channel)") }
        _ = try await self.channel(channel, of: model)
      } catch is DamagedRow {
        // The damage was logged at the start, and requests for the channel report it again.
      } catch is DatabaseError {
        // The database is damaged, which was logged, or the disk is full. In the second case, the
        // document is signed when there is space.
      }
    }
    return early
  }
}

/// The signing keys in use, and what the last check for changes found.
struct SigningWatch: Sendable {
  var state: SigningState
  /// The names of the files at the last check; see ``DataFolder/signingFingerprint``.
  var fingerprint: [String]?
  /// The reason why the newest keys can't be used; nil if they are in use.
  var problem: String?
  private var looked: ContinuousClock.Instant?

  init(_ state: SigningState) { self.state = state }

  /// Whether a second has passed since the last check.
  mutating func isDue() -> Bool {
    let now = ContinuousClock.now
    guard looked.map({ now - $0 >= .seconds(1) }) ?? true else { return false }
    looked = now
    return true
  }
}

extension DataFolder {
  /// A value that changes when a key or a root document is added or removed.
  var signingFingerprint: [String] {
    [keys, roots].flatMap { folder in
      let names = (try? FileSystem.names(in: folder)) ?? []
      let status = try? FileStatus(of: folder)
      let changed = status.map { "\($0.seconds).\($0.nanoseconds)" } ?? ""
      return [changed] + names.filter { $0 != "LOCK" }
    }
  }
}
#endif
