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
  let channel: RepositoryName
  let documentVersion: Int
  /// Why it was made.
  let cause: ChannelHistory.Revision.Cause
  /// What it was made of.
  let content: ChannelContent
  /// A rollback's document has what an earlier one had: that one's number.
  let restores: Int?
  /// From when on it is to be signed anew.
  let renewal: Date
  /// When it was issued and when it expires.
  let times: DocumentTimes
  /// What signed it: ``SigningState/label``.
  let keys: String
  /// The ``SignedDocument``, as it is sent.
  let signed: Data
  /// The strong tag of the bytes that are sent.
  let tag: String
}

/// What a change of a channel depends on, so that nobody undoes what another did.
enum ChannelPrecondition: Sendable {
  /// The channel is to be new.
  case isNew
  /// The channel is to have one of the tags of an `If-Match`.
  case matches(String)
}

extension Repository {
  /// A channel's document, signed anew where it is past half of its life.
  ///
  /// - Throws: ``Problem`` where there is no such channel.
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
    // A new document keeps the content of the old one, which must be what was signed.
    if state.keys == signing.label { try await checkSignature(of: state, model) }
    return try await database.write { [self] database in
      guard let state = try Self.channel(channel, of: model, database) else {
        throw Self.noChannel(channel, model)
      }
      guard isOld(state) else { return state }
      var document = try Self.document(state)
      let isGood = document.expires > now && !isEarly(state)
      document.documentVersion += 1
      document.issued = wholeNow
      document.expires = wholeNow + options.documentLifetime
      do {
        return try insert(document, .renewal, restores: state.restores, state.content, database)
      } catch is Problem where isGood {
        // The present one is better than none.
        return state
      }
    }
  }

  /// Refuses a document that clients would refuse: it was signed, and has changed since.
  private func checkSignature(of state: ChannelState, _ model: RepositoryName) async throws {
    guard !Self.isSigned(state, by: keys.map(\.verificationKey)) else { return }
    throw DamagedRow(
      table: RepositoryTable.channelDocuments.rawValue,
      key: "\(model) \(state.channel) \(state.documentVersion)",
      fault: "none of the repository's keys signed what 'signed' has")
  }

  /// A model's channels, by name.
  func channels(of model: RepositoryName) async throws -> [ChannelList.Channel] {
    try await database.read { database in
      try Self.checkModel(model, database)
      return try Self.channels(of: model, database).map {
        ChannelList.Channel(
          name: $0.channel, documentVersion: $0.documentVersion, version: $0.content.version)
      }
    }
  }

  /// Sets a channel.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - model: The model.
  ///   - content: What it is to be.
  ///   - precondition: What it must have been.
  ///   - token: Whose wish it is.
  /// - Returns: The channel, and whether it is new.
  /// - Throws: ``Problem``.
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
      let state = try insert(
        document, .change, restores: nil, ChannelContent(document), database)
      try audit(
        database, token, "channel.set", "\(model)/\(channel)", Self.summary(document),
        before: present.map { try Self.auditText($0.content) },
        after: try Self.auditText(state.content))
      return (state, present == nil)
    }
  }

  /// Makes a channel what it was before.
  ///
  /// Rolling back once more goes further back, and not to what was rolled back. Where a rollout was
  /// promoted, the installations get the version that they had before the rollout.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - model: The model.
  ///   - number: The document to go back to; nil for the last one that had another content.
  ///   - precondition: What it must have been.
  ///   - token: Whose wish it is.
  /// - Returns: The channel.
  /// - Throws: ``Problem``.
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
      let origin = number.map { $0 + 1 } ?? present.restores ?? present.documentVersion
      let target = try Self.firstState(
        "model = ? AND channel = ? AND document_version < ? ORDER BY document_version DESC",
        [model.text, channel.text, origin], database
      ) { state in
        number.map { state.documentVersion == $0 }
          ?? !Self.isSame(state.content, present.content)
      }
      guard let target else {
        throw Problem.conflict(
          "no_earlier_content", "Channel '\(channel)' of '\(model)' was nothing else before.")
      }
      var content = target.content
      var restored = target.restores ?? target.documentVersion
      if number == nil, Self.isRollout(content, of: present.content.version) {
        // The present version reached everybody by this rollout: to bring the rollout back would
        // leave them with the version. They get what the others had.
        content.experiment = nil
        let same = try Self.firstState(
          "model = ? AND channel = ? AND document_version < ? ORDER BY document_version DESC",
          [model.text, channel.text, restored], database
        ) { Self.isSame($0.content, content) }
        restored = same?.restores ?? same?.documentVersion ?? restored
      }
      // What was found unsafe since stays unsafe.
      content.minimumSafeSequence = max(
        content.minimumSafeSequence ?? 0, present.content.minimumSafeSequence ?? 0)
      let document = try makeDocument(content, channel, model, after: present, database)
      let state = try insert(
        document, .rollback, restores: restored, ChannelContent(document), database)
      try audit(
        database, token, "channel.rollback", "\(model)/\(channel)",
        "to document \(restored); " + Self.summary(document),
        before: try Self.auditText(present.content), after: try Self.auditText(state.content))
      return state
    }
  }

  /// Whether a content gives a version to a share of the installations, and another to the rest.
  private static func isRollout(_ content: ChannelContent, of version: RepositoryName?) -> Bool {
    guard let version, content.version != version else { return false }
    return content.experiment?.arms.contains { $0.version == version } ?? false
  }

  /// A channel's documents, the newest first.
  func history(
    of channel: RepositoryName, of model: RepositoryName, before: Int?, limit: Int
  ) async throws -> ChannelHistory {
    try await database.read { database in
      guard try Self.channel(channel, of: model, database) != nil else {
        throw Self.noChannel(channel, model)
      }
      let rows = try Row.fetchCursor(
        database,
        sql: """
          \(RepositoryTable.channelDocuments.rows)
          WHERE model = ? AND channel = ? AND document_version < ?
          ORDER BY document_version DESC LIMIT ?
          """, arguments: [model.text, channel.text, before ?? Int.max, limit])
      var revisions: [ChannelHistory.Revision] = []
      var size = 0
      while size < Self.maximumHistoryBytes, let row = try rows.next() {
        let state = try CheckedRow.read(row, of: .channelDocuments) { try Self.state($0) }
        let document = try Self.document(state)
        size += state.signed.count
        revisions.append(
          ChannelHistory.Revision(
            documentVersion: state.documentVersion, cause: state.cause,
            issued: document.issued, expires: document.expires, content: state.content))
      }
      return ChannelHistory(revisions: revisions)
    }
  }

  /// A history ends after so many bytes of documents; `before` goes on.
  private static let maximumHistoryBytes = 4 << 20

  /// Refuses a change of what is not as the client thought.
  private func check(_ precondition: ChannelPrecondition, _ present: ChannelState?) throws {
    switch precondition {
    case .isNew:
      guard let present else { return }
      throw Problem(
        .preconditionFailed, "precondition_failed",
        "There is such a channel already. Name its ETag in 'If-Match'.",
        headers: [.eTag: present.tag])
    case .matches(let tags):
      guard let present else {
        throw Problem(
          .preconditionFailed, "precondition_failed",
          "There is no such channel yet. Say 'If-None-Match: *' to make it.")
      }
      guard EntityTag.isNamedStrongly(present.tag, in: tags) else {
        throw Problem(
          .preconditionFailed, "precondition_failed",
          "The channel was changed meanwhile. Read it again.", headers: [.eTag: present.tag])
      }
    }
  }

  static func noChannel(_ channel: RepositoryName, _ model: RepositoryName) -> Problem {
    .notFound("channel_not_found", "There is no channel '\(channel)' of '\(model)'.")
  }
}
#endif
