// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// An unfinished upload.
///
/// `POST /v1/uploads`, `GET /v1/uploads/ID` and `PATCH /v1/uploads/ID` return it.
public struct UploadState: Sendable, Hashable, Codable {
  /// The upload's id.
  public var id: String
  /// The number of bytes that the server has stored, which is the offset of the next part.
  public var offset: Int

  /// Creates a state.
  public init(id: String, offset: Int) {
    self.id = id
    self.offset = offset
  }
}

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
  public var isWithdrawn: Bool

  /// Creates a record.
  public init(
    version: RepositoryName, sequence: Int, manifest: BlobReference, size: Int, published: Date,
    isWithdrawn: Bool = false
  ) {
    self.version = version
    self.sequence = sequence
    self.manifest = manifest
    self.size = size
    self.published = published
    self.isWithdrawn = isWithdrawn
  }

  enum CodingKeys: String, CodingKey {
    case version, sequence, manifest, size, published
    case isWithdrawn = "withdrawn"
  }

  /// The version as a channel document has it.
  public var release: ChannelDocument.Release {
    ChannelDocument.Release(
      version: version, sequence: sequence, manifest: manifest, size: size)
  }
}

/// A request to publish a version, which is the body of `POST /v1/models/MODEL/versions`.
///
/// All of the version's blobs must be uploaded first.
public struct VersionPublication: Sendable, Hashable, Codable {
  /// The digest of the ``VersionManifest``.
  public var manifest: BlobDigest

  /// Creates a publication.
  public init(manifest: BlobDigest) { self.manifest = manifest }
}

/// The content of a channel, which is the body of `PUT /v1/models/MODEL/channels/CHANNEL`.
///
/// To make the channel's document, the server adds the versions' details and the document version,
/// and signs the result.
public struct ChannelContent: Sendable, Hashable, Codable {
  /// An arm of an experiment.
  public struct Arm: Sendable, Hashable, Codable {
    /// The arm's name.
    public var name: RepositoryName
    /// See ``ChannelDocument/Arm/threshold``.
    public var threshold: Int
    /// The version that the arm's installations get.
    public var version: RepositoryName
    /// The arm's remote parameters.
    public var parameters: [String: String]?

    /// Creates an arm.
    public init(
      name: RepositoryName, threshold: Int, version: RepositoryName,
      parameters: [String: String]? = nil
    ) {
      self.name = name
      self.threshold = threshold
      self.version = version
      self.parameters = parameters
    }
  }

  /// A rollout or variants.
  public struct Experiment: Sendable, Hashable, Codable {
    /// The salt for computing buckets.
    public var salt: String
    /// The arms, with rising thresholds.
    public var arms: [Arm]
    /// Whether the experiment is paused; see ``ChannelDocument/Experiment/isPaused``.
    public var isPaused: Bool?

    /// Creates an experiment.
    public init(salt: String, arms: [Arm], isPaused: Bool? = nil) {
      self.salt = salt
      self.arms = arms
      self.isPaused = isPaused
    }

    enum CodingKeys: String, CodingKey {
      case salt, arms
      case isPaused = "paused"
    }
  }

  /// The version for installations outside of all arms, or nil for none.
  public var version: RepositoryName?
  /// A rollout or variants.
  public var experiment: Experiment?
  /// The remote parameters for all installations.
  public var parameters: [String: String]?
  /// See ``ChannelDocument/minimumSafeSequence``.
  public var minimumSafeSequence: Int?

  /// Creates a channel's content.
  public init(
    version: RepositoryName?, experiment: Experiment? = nil, parameters: [String: String]? = nil,
    minimumSafeSequence: Int? = nil
  ) {
    self.version = version
    self.experiment = experiment
    self.parameters = parameters
    self.minimumSafeSequence = minimumSafeSequence
  }

  enum CodingKeys: String, CodingKey {
    case version, experiment, parameters
    case minimumSafeSequence = "minimum_safe_sequence"
  }
}

extension ChannelContent {
  /// Creates the content that a document was made from.
  public init(_ document: ChannelDocument) {
    self.init(
      version: document.release?.version,
      experiment: document.experiment.map { experiment in
        Experiment(
          salt: experiment.salt,
          arms: experiment.arms.map {
            Arm(
              name: $0.name, threshold: $0.threshold, version: $0.release.version,
              parameters: $0.parameters)
          }, isPaused: experiment.isPaused)
      },
      parameters: document.parameters, minimumSafeSequence: document.minimumSafeSequence)
  }
}
#endif
