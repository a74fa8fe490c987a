// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import ModelRepositoryAPI
import StoredRows
import Synchronization

/// Which keys sign, also after somebody changed them beside the running server.
extension Repository {
  /// What signs now.
  var signing: SigningState { signingWatch.state }

  /// The keys that documents are signed with; none where they are missing.
  var keys: [SigningKey] { signing.keys }

  /// The keys whose signatures are right, whether or not their private halves are here.
  var trustedKeys: [VerificationKey] {
    get throws {
      let signing = signing
      return try signing.root?.channels.verificationKeys() ?? signing.keys.map(\.verificationKey)
    }
  }

  /// Requires that something can be signed.
  ///
  /// - Throws: ``RepositoryError`` with the code `.missingKeys`.
  func requireKeys() throws {
    if let fault = signing.fault { throw fault }
  }

  /// Reads the keys and the root documents again.
  ///
  /// - Throws: ``RepositoryError``; what signed before goes on then.
  func reloadKeys() throws {
    let signers = try database.read { try SigningState.signers($0) }
    let state = try SigningState.load(folder, signers: signers, orMake: false, now: now)
    if let fault = state.fault { throw fault }
    signingWatch.replace(state)
  }

  /// Signs all documents with a new key: the old ones are lost.
  func replaceLostKeys(with name: String) async throws -> VerificationKey {
    guard signing.root == nil else { throw RepositoryKeys.noRootKeys }
    let key = try SigningKeys.make(name, in: folder.keys)
    signingWatch.replace(
      try SigningState.load(folder, signers: [], orMake: false, now: now))
    _ = try await renewDocuments()
    return key.verificationKey
  }

  /// Reads the keys again where their folders changed; looks at most once a second.
  ///
  /// What cannot be used is noted for the readiness, and what signed before goes on.
  func reloadChangedKeys() {
    guard signingWatch.isDue() else { return }
    let fingerprint = folder.signingFingerprint
    guard signingWatch.hasChanged(fingerprint) || isKeyOver else { return }
    do {
      try reloadKeys()
      signingWatch.note(fingerprint, problem: nil)
    } catch {
      signingWatch.note(fingerprint, problem: "The signing keys cannot be used: \(error)")
    }
  }

  /// Whether a key signs whose time is over.
  private var isKeyOver: Bool {
    let (state, now) = (signing, now)
    guard let root = state.root else { return false }
    let over = root.channels.keys.filter { ($0.expires ?? .distantFuture) <= now }.map(\.key)
    return state.keys.contains { over.contains($0.verificationKey.text) }
  }

  /// Signs the documents again that are past half of their life, were signed by other keys, or were
  /// issued by a clock that was ahead.
  ///
  /// A document is signed again when somebody asks for it, too; this is for those that nobody asks
  /// for, and tells the operator.
  ///
  /// - Returns: The channels, as MODEL/CHANNEL, whose documents were issued in the future.
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
        // The start told of it, and who asks for the channel is told again.
      } catch is DatabaseError {
        // The same; or the disk is full, and the document is signed when there is room.
      }
    }
    return early
  }
}

/// The signing keys in use, and when somebody looked for others.
final class SigningWatch: Sendable {
  private struct Content {
    var state: SigningState
    var fingerprint: [String]?
    var problem: String?
    var looked: ContinuousClock.Instant?
  }

  private let content: Mutex<Content>

  init(_ state: SigningState) { content = Mutex(Content(state: state)) }

  var state: SigningState { content.withLock { $0.state } }
  /// Why the newest keys cannot be used; nil where they are.
  var problem: String? { content.withLock { $0.problem } }

  func replace(_ state: SigningState) { content.withLock { $0.state = state } }

  /// Whether a second passed.
  func isDue() -> Bool {
    let now = ContinuousClock.now
    return content.withLock { content in
      guard content.looked.map({ now - $0 >= .seconds(1) }) ?? true else { return false }
      content.looked = now
      return true
    }
  }

  func hasChanged(_ fingerprint: [String]) -> Bool {
    content.withLock { $0.fingerprint != fingerprint }
  }

  func note(_ fingerprint: [String], problem: String?) {
    content.withLock { ($0.fingerprint, $0.problem) = (fingerprint, problem) }
  }
}

extension DataFolder {
  /// Changes when a key or a root document comes or goes.
  var signingFingerprint: [String] {
    [keys, roots].flatMap { folder in
      let names = (try? FileSystem.names(in: folder)) ?? []
      return [FileSystem.changeTime(of: folder)] + names.filter { $0 != "LOCK" }
    }
  }
}
#endif
