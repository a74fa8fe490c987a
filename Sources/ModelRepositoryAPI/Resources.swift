// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// An upload that is under way: `POST /v1/uploads`, `GET` and `PATCH /v1/uploads/ID`.
public struct UploadState: Sendable, Hashable, Codable {
  /// What the server calls it.
  public var id: String
  /// How many bytes the server has for certain: the next ones begin there.
  public var offset: Int

  /// Makes a state.
  public init(id: String, offset: Int) {
    self.id = id
    self.offset = offset
  }
}

/// A version as the server knows it: `GET /v1/models/MODEL/versions`.
public struct VersionRecord: Sendable, Hashable, Codable {
  /// What it is called.
  public var version: RepositoryName
  /// How many versions of the model were published before it, and one.
  public var sequence: Int
  /// The ``VersionManifest``.
  public var manifest: BlobReference
  /// How many bytes all of its files have.
  public var size: Int
  /// When it was published.
  public var published: Date
  /// Whether nobody is to get it any more.
  public var isWithdrawn: Bool

  /// Makes a record.
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

  /// What a channel's document says of it.
  public var release: ChannelDocument.Release {
    ChannelDocument.Release(
      version: version, sequence: sequence, manifest: manifest, size: size)
  }
}

/// What publishes a version: `POST /v1/models/MODEL/versions`, once all of its blobs are there.
public struct VersionPublication: Sendable, Hashable, Codable {
  /// The digest of the ``VersionManifest``.
  public var manifest: BlobDigest

  /// Makes a publication.
  public init(manifest: BlobDigest) { self.manifest = manifest }
}

/// What a channel is to be, the body of `PUT /v1/models/MODEL/channels/CHANNEL`.
///
/// The server adds what it knows of the versions, counts and signs.
public struct ChannelContent: Sendable, Hashable, Codable {
  /// An arm of an experiment.
  public struct Arm: Sendable, Hashable, Codable {
    /// What it is called.
    public var name: RepositoryName
    /// See ``ChannelDocument/Arm/threshold``.
    public var threshold: Int
    /// The version that it gets.
    public var version: RepositoryName
    /// Its remote parameters.
    public var parameters: [String: String]?

    /// Makes an arm.
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

  /// A rollout, or variants.
  public struct Experiment: Sendable, Hashable, Codable {
    /// What buckets are drawn with.
    public var salt: String
    /// The arms, with rising thresholds.
    public var arms: [Arm]
    /// Whether nobody is to join.
    public var isPaused: Bool?

    /// Makes an experiment.
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

  /// The version for all; nil for none.
  public var version: RepositoryName?
  /// A rollout, or variants.
  public var experiment: Experiment?
  /// Remote parameters for all.
  public var parameters: [String: String]?
  /// See ``ChannelDocument/minimumSafeSequence``.
  public var minimumSafeSequence: Int?

  /// Makes a channel's content.
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
  /// What a document was made of.
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
