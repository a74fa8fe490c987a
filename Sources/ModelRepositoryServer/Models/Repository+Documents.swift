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

/// Creating, signing and storing channel documents.
extension Repository {
  /// The current time in whole seconds, as documents contain it.
  var wholeNow: Date { Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)) }

  /// Whether a document has to be signed again.
  ///
  /// This is the case after half of its lifetime, if other keys than the current ones signed it, or
  /// if clients would reject its times.
  func isOld(_ state: ChannelState) -> Bool {
    now >= state.renewal || state.keys != signing.label || isEarly(state)
  }

  /// Whether a document was issued in the future, or expires later than clients accept.
  ///
  /// Both happen when the clock was ahead.
  func isEarly(_ state: ChannelState) -> Bool {
    state.document.issued > now + Self.clockTolerance
      || state.document.expires > now + DocumentTimes.maximumLifetime
  }

  /// The number of seconds by which the clock may be set back before documents are signed again.
  ///
  /// Clients tolerate much more.
  private static let clockTolerance: TimeInterval = 300

  /// Creates a channel's next document from its content.
  ///
  /// - Throws: ``Problem`` if a version doesn't exist or was withdrawn, or if the content makes no
  ///   sense.
  func makeDocument(
    _ content: ChannelContent, _ channel: RepositoryName, _ model: RepositoryName,
    after present: ChannelState?, _ database: Database
  ) throws -> ChannelDocument {
    func release(_ version: RepositoryName) throws -> ChannelDocument.Release {
      guard let record = try Self.version(version, of: model, database) else {
        throw Problem(
          .unprocessableContent, "unknown_version",
          "There is no version '\(version)' of '\(model)'. Publish it first.")
      }
      guard !record.isWithdrawn else {
        throw Problem(
          .conflict, "version_withdrawn", "Version '\(version)' of '\(model)' was withdrawn.")
      }
      return record.release
    }
    let document = try ChannelDocument(
      content, channel, of: model, documentVersion: (present?.document.documentVersion ?? 0) + 1,
      issued: wholeNow, expires: wholeNow + options.documentLifetime,
      // Versions that were declared unsafe stay unsafe until the content says otherwise.
      minimumSafeSequence: present?.content.minimumSafeSequence ?? 0, release)
    do {
      try document.validate()
    } catch let error as RepositoryError {
      throw Problem(.unprocessableContent, "invalid_document", error.message)
    }
    return document
  }

  private static let renewalRoom = 16 << 10

  /// Signs a document and stores it.
  func insert(
    _ unsigned: ChannelDocument, _ cause: ChannelHistory.Revision.Cause, restores: Int?,
    _ database: Database
  ) throws -> ChannelState {
    try requireKeys()
    let signing = signing
    var document = unsigned
    document.root = signing.root?.version
    let signed = try RepositoryJSON.encode(try SignedDocument(document, by: signing.keys))
    // A change leaves room for the signature of another key, which a later renewal may add.
    let room = cause == .renewal ? 0 : Self.renewalRoom
    guard signed.count <= ChannelDocument.maximumBytes - room else {
      throw Problem(
        .unprocessableContent, "invalid_document",
        "The signed document would have \(signed.count) bytes, but at most "
          + "\(ChannelDocument.maximumBytes - room) are allowed. Use fewer parameters.")
    }
    let renewal = document.issued + document.expires.timeIntervalSince(document.issued) / 2
    try database.execute(
      sql: """
        INSERT INTO channel_documents
          (model, channel, document_version, cause, restores, renewal, keys, content, signed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        document.model.text, document.channel.text, document.documentVersion, cause.rawValue,
        restores, renewal, signing.label, try RepositoryJSON.encode(ChannelContent(document)),
        signed,
      ])
    // The cache is cleared after the commit, and before anybody is notified.
    database.afterNextTransaction { [channelStates, key = [document.model, document.channel]] _ in
      channelStates.forget(key)
    }
    return ChannelState(
      document: document, cause: cause, restores: restores, renewal: renewal, keys: signing.label,
      signed: signed, tag: Self.tag(signed))
  }

  // MARK: - Rows

  /// The condition for the row of a channel's newest document.
  static let isNewest = """
    document_version = (
      SELECT MAX(document_version) FROM channel_documents AS newest
      WHERE newest.model = channel_documents.model
        AND newest.channel = channel_documents.channel)
    """

  /// Returns a channel's newest document; nil if the channel doesn't exist.
  static func channel(
    _ channel: RepositoryName, of model: RepositoryName, _ database: Database
  ) throws -> ChannelState? {
    try database.first(
      .channelDocuments, "WHERE model = ? AND channel = ? ORDER BY document_version DESC LIMIT 1",
      [model.text, channel.text], state)
  }

  /// Returns the newest documents of all channels of a model, sorted by channel name.
  static func channels(
    of model: RepositoryName, _ database: Database
  ) throws -> [ChannelState] {
    try database.all(
      .channelDocuments, "WHERE model = ? AND \(isNewest) ORDER BY channel", [model.text], state)
  }

  /// Creates a state from a document's row, whose columns must be consistent.
  static func state(_ row: CheckedRow) throws -> ChannelState {
    let numbers = 1...(Int.max / 2)
    let signed = try row.bytes("signed")
    let content: ChannelContent
    do {
      content = try RepositoryJSON.decode(ChannelContent.self, from: try row.bytes("content"))
    } catch let error as DecodingError {
      throw row.damaged(
        "'content' cannot be read as a channel's content: \(error.debugDescription)")
    }
    let document: ChannelDocument
    do {
      let envelope = try RepositoryJSON.decode(SignedDocument.self, from: signed)
      document = try RepositoryJSON.decode(ChannelDocument.self, from: envelope.document)
    } catch let error as DecodingError {
      throw row.damaged("'signed' cannot be read as a signed document: \(error.debugDescription)")
    }
    let state = ChannelState(
      document: document, cause: try cause(row),
      restores: try row.optionalInteger("restores", in: numbers),
      renewal: try row.time("renewal"), keys: try row.text("keys"), signed: signed,
      tag: tag(signed))
    guard document.model == (try row.name("model")),
      document.channel == (try row.name("channel")),
      document.documentVersion == (try row.integer("document_version", in: numbers)),
      state.content == content
    else {
      throw row.damaged("'signed' doesn't match the other columns")
    }
    return state
  }

  private static func cause(_ row: CheckedRow) throws -> ChannelHistory.Revision.Cause {
    guard let cause = ChannelHistory.Revision.Cause(rawValue: try row.text("cause")) else {
      throw row.mismatch("cause", "'change', 'rollback' or 'renewal'")
    }
    return cause
  }

  private static func tag(_ signed: Data) -> String {
    "\"\(BlobDigest(of: signed).hexadecimal)\""
  }

  /// Whether two contents are equal except for the minimum safe sequence.
  static func isSame(_ left: ChannelContent, _ right: ChannelContent) -> Bool {
    var left = left
    left.minimumSafeSequence = right.minimumSafeSequence
    return left == right
  }

  /// Returns the description of a document for the audit log.
  static func summary(_ document: ChannelDocument) -> String {
    let arms = (document.experiment?.arms ?? []).map {
      "\($0.name)=\($0.release.version)<\($0.threshold)"
    }
    return "document \(document.documentVersion): "
      + ([document.release?.version.text ?? "none"] + arms).joined(separator: " ")
  }
}
#endif
