// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import ModelRepositoryAPI
import StoredRows

/// A channel's newest document.
struct ChannelState: Sendable {
  let document: ChannelDocument
  /// The reason why the document was created.
  let cause: ChannelHistory.Revision.Cause
  /// The number of the earlier document whose content a rollback restored; nil for other documents.
  let restores: Int?
  /// The time after which the document is signed again.
  let renewal: Date
  /// The keys that signed the document, as in ``SigningState/label``.
  let keys: String
  /// The ``SignedDocument`` as it is sent.
  let signed: Data
  /// The strong entity tag of the bytes that are sent.
  let tag: String

  /// The content from which the document was created.
  var content: ChannelContent { ChannelContent(document) }
}

/// A condition for changing a channel, so that nobody overwrites somebody else's change.
enum ChannelPrecondition: Sendable {
  /// The channel must not exist yet.
  case isNew
  /// The channel must have one of the tags of an `If-Match` field.
  case matches(String)
}

extension Repository {
  /// Returns a channel's document, and signs it again if more than half of its lifetime has passed.
  func channel(
    _ channel: RepositoryName, of model: RepositoryName
  ) async throws -> ChannelState {
    reloadChangedKeys()
    if let state = channelStates[[model, channel]], !isOld(state) { return state }
    let changes = channelStates.changes
    let state = try await database.read { try Self.channel(channel, of: model, $0) }
    guard let state else { throw Self.noChannel(channel, model) }
    guard isOld(state) else {
      try await checkSignature(of: state, model)
      channelStates.keep(state, for: [model, channel], size: state.signed.count, since: changes)
      return state
    }
    // A new document keeps the content of the old one, so that content must match the signature.
    if state.keys == signing.label { try await checkSignature(of: state, model) }
    do {
      return try await renew(channel, of: model)
    } catch let error as DatabaseError
      where [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY].contains(error.resultCode)
    {
      // The disk is full or read-only. A document of a revoked key is of no use to clients.
      guard isGood(state), Self.isSigned(state, by: try trustedKeys) else { throw error }
      return state
    }
  }

  /// Signs a channel's newest document again, if it is old.
  private func renew(
    _ channel: RepositoryName, of model: RepositoryName
  ) async throws -> ChannelState {
    try await database.write { [self] database in
      guard let state = try Self.channel(channel, of: model, database) else {
        throw Self.noChannel(channel, model)
      }
      guard isOld(state) else { return state }
      var document = state.document
      document.documentVersion += 1
      document.issued = wholeNow
      document.expires = wholeNow + options.documentLifetime
      do {
        return try insert(document, .renewal, restores: state.restores, database)
      } catch is Problem where isGood(state) {
        // The current document is still valid, so it is better than none.
        return state
      }
    }
  }

  /// Whether clients accept a document's times.
  private func isGood(_ state: ChannelState) -> Bool {
    state.document.expires > now && !isEarly(state)
  }

  /// Rejects a document that clients would reject because it was changed after it was signed.
  private func checkSignature(of state: ChannelState, _ model: RepositoryName) async throws {
    guard !Self.isSigned(state, by: keys.map(\.verificationKey)) else { return }
    throw DamagedRow(
      table: RepositoryTable.channelDocuments.rawValue,
      key: "\(model) \(state.document.channel) \(state.document.documentVersion)",
      fault: "none of the repository's keys signed the document in 'signed'")
  }

  /// Returns a model's channels, sorted by name.
  func channels(of model: RepositoryName) async throws -> [ChannelList.Channel] {
    try await database.read { database in
      try Self.checkModel(model, database)
      return try Self.channels(of: model, database).map {
        ChannelList.Channel(
          name: $0.document.channel, documentVersion: $0.document.documentVersion,
          version: $0.document.release?.version)
      }
    }
  }

  /// Sets a channel's content.
  ///
  /// - Returns: The channel, and whether it is new.
  func setChannel(
    _ channel: RepositoryName, of model: RepositoryName, to content: ChannelContent,
    _ precondition: ChannelPrecondition, by token: String?
  ) async throws -> (state: ChannelState, isNew: Bool) {
    reloadChangedKeys()
    return try await database.write { [self] database in
      try Self.checkModel(model, database)
      let present = try Self.channel(channel, of: model, database)
      try check(precondition, present)
      let document = try makeDocument(content, channel, model, after: present, database)
      let state = try insert(document, .change, restores: nil, database)
      try audit(
        database, token, "channel.set", "\(model)/\(channel)", Self.summary(document),
        before: present.map { try Self.auditText($0.content) },
        after: try Self.auditText(state.content))
      return (state, present == nil)
    }
  }

  /// Restores an earlier content of a channel: that of the document with a number, or the last
  /// different one whose versions weren't withdrawn.
  ///
  /// Another rollback goes further back instead of undoing the first one. If a rollout was promoted
  /// to all installations, a rollback gives them the version that they had before the rollout.
  func rollBack(
    _ channel: RepositoryName, of model: RepositoryName, to number: Int?,
    _ precondition: ChannelPrecondition, by token: String?
  ) async throws -> ChannelState {
    reloadChangedKeys()
    return try await database.write { [self] database in
      guard let present = try Self.channel(channel, of: model, database) else {
        throw Self.noChannel(channel, model)
      }
      try check(precondition, present)
      let origin = number.map { $0 + 1 } ?? present.restores ?? present.document.documentVersion
      let target = try database.first(
        .channelDocuments, Self.earlierDocuments, [model.text, channel.text, origin], Self.state
      ) { state in
        if let number { return state.document.documentVersion == number }
        guard !Self.isSame(state.content, present.content) else { return false }
        return try Self.restorable(state.content, after: present.content).versions.allSatisfy {
          try Self.version($0, of: model, database)?.isWithdrawn == false
        }
      }
      guard let target else {
        throw Problem(
          .conflict, "no_earlier_content",
          "Channel '\(channel)' of '\(model)' has no earlier content to return to"
            + (number == nil ? " whose versions weren't withdrawn. Set a version." : "."))
      }
      var content =
        number == nil ? Self.restorable(target.content, after: present.content) : target.content
      var restored = target.restores ?? target.document.documentVersion
      if content != target.content {
        let same = try database.first(
          .channelDocuments, Self.earlierDocuments, [model.text, channel.text, restored],
          Self.state
        ) { Self.isSame($0.content, content) }
        restored = same?.restores ?? same?.document.documentVersion ?? restored
      }
      // Versions that were declared unsafe since then stay unsafe.
      content.minimumSafeSequence = max(
        content.minimumSafeSequence ?? 0, present.content.minimumSafeSequence ?? 0)
      let document = try makeDocument(content, channel, model, after: present, database)
      let state = try insert(document, .rollback, restores: restored, database)
      try audit(
        database, token, "channel.rollback", "\(model)/\(channel)",
        "to document \(restored); " + Self.summary(document),
        before: try Self.auditText(present.content), after: try Self.auditText(state.content))
      return state
    }
  }

  /// The condition for a channel's documents before a number, the newest first.
  private static let earlierDocuments =
    "WHERE model = ? AND channel = ? AND document_version < ? ORDER BY document_version DESC"

  /// Returns what a rollback from the present content to an earlier one restores.
  ///
  /// If the earlier one is the rollout that brought the present version to everybody, all
  /// installations get the version that those outside of it had. The rollout itself would leave the
  /// present version on some.
  private static func restorable(
    _ content: ChannelContent, after present: ChannelContent
  ) -> ChannelContent {
    var content = content
    if isRollout(content, of: present.version) { content.experiment = nil }
    return content
  }

  /// Whether a content gives a version to a part of the installations and another one to the rest.
  private static func isRollout(_ content: ChannelContent, of version: RepositoryName?) -> Bool {
    guard let version, content.version != version else { return false }
    return content.experiment?.arms.contains { $0.version == version } ?? false
  }

  /// Returns a channel's documents, the newest first.
  func history(
    of channel: RepositoryName, of model: RepositoryName, before: Int?, limit: Int
  ) async throws -> ChannelHistory {
    try await database.read { database in
      guard try Self.channel(channel, of: model, database) != nil else {
        throw Self.noChannel(channel, model)
      }
      let rows = try Row.fetchCursor(
        database,
        sql: "\(RepositoryTable.channelDocuments.rows) \(Self.earlierDocuments) LIMIT ?",
        arguments: [model.text, channel.text, before ?? Int.max, limit])
      var revisions: [ChannelHistory.Revision] = []
      var size = 0
      while size < Self.maximumHistoryBytes, let row = try rows.next() {
        let state = try CheckedRow.read(row, of: .channelDocuments) { try Self.state($0) }
        size += state.signed.count
        revisions.append(
          ChannelHistory.Revision(
            documentVersion: state.document.documentVersion, cause: state.cause,
            times: state.document.times,
            content: state.content))
      }
      return ChannelHistory(revisions: revisions)
    }
  }

  /// The size of the documents after which a page of the history ends; `before` requests the next
  /// page.
  private static let maximumHistoryBytes = 4 << 20

  /// Rejects a change if the channel isn't in the state that the client expects.
  private func check(_ precondition: ChannelPrecondition, _ present: ChannelState?) throws {
    let what: String
    switch (precondition, present) {
    case (.isNew, nil): return
    case (.isNew, _?): what = "already exists. Send its ETag in 'If-Match'."
    case (.matches, nil): what = "doesn't exist yet. Send 'If-None-Match: *' to create it."
    case (.matches(let tags), let present?):
      if EntityTag.isNamedStrongly(present.tag, in: tags) { return }
      what = "has changed in the meantime. Read it again."
    }
    throw Problem(
      .preconditionFailed, "precondition_failed", "The channel \(what)",
      headers: present.map { [.eTag: $0.tag] } ?? [:])
  }

  static func noChannel(_ channel: RepositoryName, _ model: RepositoryName) -> Problem {
    Problem(.notFound, "channel_not_found", "There is no channel '\(channel)' of '\(model)'.")
  }
}
#endif
