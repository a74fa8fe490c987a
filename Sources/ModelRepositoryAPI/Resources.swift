// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// The server's record of a version, as in `GET /v1/models/MODEL/versions`.
public struct VersionRecord: Sendable, Hashable, Codable {
  /// The version's name.
  public var version: RepositoryName
  /// The version's number among all versions of the model in the order of publishing, from 1.
  public var sequence: Int
  /// A reference to the ``VersionManifest``.
  public var manifest: BlobReference
  /// The total size of its files, in bytes.
  public var size: Int
  /// The time at which it was published.
  public var published: Date
  /// Whether the version was withdrawn, so that no channel can give it any more.
  public var isWithdrawn = false

  package init(
    version: RepositoryName, sequence: Int, manifest: BlobReference, size: Int, published: Date
  ) {
    self.version = version
    self.sequence = sequence
    self.manifest = manifest
    self.size = size
    self.published = published
  }

  enum CodingKeys: String, CodingKey {
    case version, sequence, manifest, size, published
    case isWithdrawn = "withdrawn"
  }

  /// The version as a channel document has it.
  package var release: ChannelDocument.Release {
    ChannelDocument.Release(version: version, sequence: sequence, manifest: manifest, size: size)
  }
}

/// The models of a repository, which `GET /v1/models` returns.
public struct ModelList: Sendable, Hashable, Codable {
  /// A model.
  public struct Model: Sendable, Hashable, Codable {
    /// The model's name.
    public var name: RepositoryName
    /// The number of its versions.
    public var versions: Int

    package init(name: RepositoryName, versions: Int) {
      self.name = name
      self.versions = versions
    }
  }

  /// The models, sorted by name.
  package var models: [Model]

  package init(models: [Model]) { self.models = models }
}

/// A model's versions, which `GET /v1/models/MODEL/versions` returns, the newest first.
package struct VersionList: Sendable, Hashable, Codable {
  package var versions: [VersionRecord]

  package init(versions: [VersionRecord]) { self.versions = versions }
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

    package init(name: RepositoryName, documentVersion: Int, version: RepositoryName?) {
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
  package var channels: [Channel]

  package init(channels: [Channel]) { self.channels = channels }
}

/// A channel's history, which `GET /v1/models/MODEL/channels/CHANNEL/history` returns.
package struct ChannelHistory: Sendable, Hashable, Codable {
  /// A document of the channel.
  package struct Revision: Sendable, Hashable, Codable {
    /// The reason why a document was made.
    package enum Cause: String, Sendable, Hashable, Codable {
      /// Someone changed the channel.
      case change
      /// Someone rolled the channel back.
      case rollback
      /// The previous document was about to expire, or the keys changed.
      case renewal
    }

    package var documentVersion: Int
    package var cause: Cause
    package var issued: Date
    package var expires: Date
    package var content: ChannelContent

    package init(
      documentVersion: Int, cause: Cause, times: DocumentTimes, content: ChannelContent
    ) {
      self.documentVersion = documentVersion
      self.cause = cause
      (issued, expires) = (times.issued, times.expires)
      self.content = content
    }

    enum CodingKeys: String, CodingKey {
      case cause, issued, expires, content
      case documentVersion = "document_version"
    }
  }

  /// The documents, the newest first.
  package var revisions: [Revision]

  package init(revisions: [Revision]) { self.revisions = revisions }
}

/// An unfinished upload.
///
/// `POST /v1/uploads`, `GET /v1/uploads/ID` and `PATCH /v1/uploads/ID` return it.
package struct UploadState: Sendable, Hashable, Codable {
  package var id: String
  /// The number of bytes that the server has stored, which is the offset of the next part.
  package var offset = 0

  package init(id: String) { self.id = id }
}

/// A request to publish a version, which is the body of `POST /v1/models/MODEL/versions`.
///
/// All of the version's blobs must be uploaded first.
package struct VersionPublication: Sendable, Hashable, Codable {
  /// The digest of the ``VersionManifest``.
  package var manifest: BlobDigest

  package init(manifest: BlobDigest) { self.manifest = manifest }
}

/// A server's error response in the format `application/problem+json` (RFC 9457).
package struct ProblemDetails: Sendable, Hashable, Codable {
  /// The content type of the response's body.
  package static let contentType = "application/problem+json"

  package var status: Int
  /// A code for programs.
  package var code: String
  /// A message for people.
  package var title: String

  package init(status: Int, code: String, title: String) {
    self.status = status
    self.code = code
    self.title = title
  }
}

/// The JSON format that servers and clients exchange.
///
/// Keys are sorted, and times have the format `2026-11-22T09:00:00Z`.
public enum RepositoryJSON {
  /// Writes a document.
  package static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }

  /// Reads a document.
  ///
  /// - Throws: The decoder's errors.
  public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }
}
#endif
