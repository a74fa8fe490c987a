// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// The models of a repository, which `GET /v1/models` returns.
public struct ModelList: Sendable, Hashable, Codable {
  /// A model.
  public struct Model: Sendable, Hashable, Codable {
    /// The model's name.
    public var name: RepositoryName
    /// The number of its versions.
    public var versions: Int

    /// Creates an entry.
    public init(name: RepositoryName, versions: Int) {
      self.name = name
      self.versions = versions
    }
  }

  /// The models, sorted by name.
  public var models: [Model]

  /// Creates a list.
  public init(models: [Model]) { self.models = models }
}

/// A model's versions, which `GET /v1/models/MODEL/versions` returns.
public struct VersionList: Sendable, Hashable, Codable {
  /// The versions, the newest first.
  public var versions: [VersionRecord]

  /// Creates a list.
  public init(versions: [VersionRecord]) { self.versions = versions }
}

/// A model's channels, which `GET /v1/models/MODEL/channels` returns.
public struct ChannelList: Sendable, Hashable, Codable {
  /// A channel.
  public struct Channel: Sendable, Hashable, Codable {
    /// The channel's name.
    public var name: RepositoryName
    /// See ``ChannelDocument/documentVersion``.
    public var documentVersion: Int
    /// The version for installations outside of all arms, or nil for none.
    public var version: RepositoryName?

    /// Creates an entry.
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

  /// The channels, sorted by name.
  public var channels: [Channel]

  /// Creates a list.
  public init(channels: [Channel]) { self.channels = channels }
}

/// A channel's history, which `GET /v1/models/MODEL/channels/CHANNEL/history` returns.
public struct ChannelHistory: Sendable, Hashable, Codable {
  /// A document of the channel.
  public struct Revision: Sendable, Hashable, Codable {
    /// The reason why a document was made.
    public enum Cause: String, Sendable, Hashable, Codable {
      /// Someone changed the channel.
      case change
      /// Someone rolled the channel back.
      case rollback
      /// The previous document was about to expire, or the keys changed.
      case renewal
    }

    /// See ``ChannelDocument/documentVersion``.
    public var documentVersion: Int
    /// The reason why the document was made.
    public var cause: Cause
    /// When it was signed.
    public var issued: Date
    /// The date after which clients reject the document.
    public var expires: Date
    /// The channel's content.
    public var content: ChannelContent

    /// Creates an entry.
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

  /// Creates a history.
  public init(revisions: [Revision]) { self.revisions = revisions }
}

/// The keys that a server signs with, which `GET /v1/keys` returns.
public struct KeyList: Sendable, Hashable, Codable {
  /// A key.
  public struct Key: Sendable, Hashable, Codable {
    /// See ``VerificationKey/id``.
    public var id: String
    /// See ``VerificationKey/text``.
    public var key: String

    /// Creates an entry.
    public init(_ key: VerificationKey) {
      id = key.id
      self.key = key.text
    }
  }

  /// The keys.
  public var keys: [Key]

  /// Creates a list.
  public init(keys: [Key]) { self.keys = keys }
}
#endif
