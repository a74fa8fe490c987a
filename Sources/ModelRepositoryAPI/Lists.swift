// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// The models that there are: `GET /v1/models`.
public struct ModelList: Sendable, Hashable, Codable {
  /// A model.
  public struct Model: Sendable, Hashable, Codable {
    /// What it is called.
    public var name: RepositoryName
    /// How many versions it has.
    public var versions: Int

    /// Makes an entry.
    public init(name: RepositoryName, versions: Int) {
      self.name = name
      self.versions = versions
    }
  }

  /// The models, by name.
  public var models: [Model]

  /// Makes a list.
  public init(models: [Model]) { self.models = models }
}

/// A model's versions: `GET /v1/models/MODEL/versions`.
public struct VersionList: Sendable, Hashable, Codable {
  /// The versions, the newest first.
  public var versions: [VersionRecord]

  /// Makes a list.
  public init(versions: [VersionRecord]) { self.versions = versions }
}

/// A model's channels: `GET /v1/models/MODEL/channels`.
public struct ChannelList: Sendable, Hashable, Codable {
  /// A channel.
  public struct Channel: Sendable, Hashable, Codable {
    /// What it is called.
    public var name: RepositoryName
    /// See ``ChannelDocument/documentVersion``.
    public var documentVersion: Int
    /// The version for all; nil for none.
    public var version: RepositoryName?

    /// Makes an entry.
    public init(name: RepositoryName, documentVersion: Int, version: RepositoryName?) {
      self.name = name
      self.documentVersion = documentVersion
      self.version = version
    }

    enum CodingKeys: String, CodingKey {
      case name, version
      case documentVersion = "document_version"
    }
  }

  /// The channels, by name.
  public var channels: [Channel]

  /// Makes a list.
  public init(channels: [Channel]) { self.channels = channels }
}

/// What a channel was: `GET /v1/models/MODEL/channels/CHANNEL/history`.
public struct ChannelHistory: Sendable, Hashable, Codable {
  /// A document of the channel.
  public struct Revision: Sendable, Hashable, Codable {
    /// Why there is a document.
    public enum Cause: String, Sendable, Hashable, Codable {
      /// Someone set the channel.
      case change
      /// Someone took it back to what it was.
      case rollback
      /// The document before it grew old, or the keys changed.
      case renewal
    }

    /// See ``ChannelDocument/documentVersion``.
    public var documentVersion: Int
    /// Why there is this document.
    public var cause: Cause
    /// When it was signed.
    public var issued: Date
    /// From when on nobody may take it for new.
    public var expires: Date
    /// What it was made of.
    public var content: ChannelContent

    /// Makes an entry.
    public init(
      documentVersion: Int, cause: Cause, issued: Date, expires: Date, content: ChannelContent
    ) {
      self.documentVersion = documentVersion
      self.cause = cause
      self.issued = issued
      self.expires = expires
      self.content = content
    }

    enum CodingKeys: String, CodingKey {
      case cause, issued, expires, content
      case documentVersion = "document_version"
    }
  }

  /// The documents, the newest first.
  public var revisions: [Revision]

  /// Makes a history.
  public init(revisions: [Revision]) { self.revisions = revisions }
}

/// The keys that a server signs with: `GET /v1/keys`.
public struct KeyList: Sendable, Hashable, Codable {
  /// A key.
  public struct Key: Sendable, Hashable, Codable {
    /// See ``VerificationKey/id``.
    public var id: String
    /// See ``VerificationKey/text``.
    public var key: String

    /// Makes an entry.
    public init(_ key: VerificationKey) {
      id = key.id
      self.key = key.text
    }
  }

  /// The keys.
  public var keys: [Key]

  /// Makes a list.
  public init(keys: [Key]) { self.keys = keys }
}
#endif
