// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// Which version of a model who should have: what a server signs and a client obeys.
///
/// Every installation computes by itself which release is its own, so that nobody need know who has
/// which:
///
/// ```swift
/// let release = document.assignment(for: installationID).release
/// ```
public struct ChannelDocument: Sendable, Hashable, Codable {
  /// A version of the model.
  public struct Release: Sendable, Hashable, Codable {
    /// What it is called.
    public var version: RepositoryName
    /// How many versions of the model were published before it, and one.
    public var sequence: Int
    /// The ``VersionManifest``.
    public var manifest: BlobReference
    /// How many bytes all of its files have.
    public var size: Int

    /// Makes a release.
    public init(version: RepositoryName, sequence: Int, manifest: BlobReference, size: Int) {
      self.version = version
      self.sequence = sequence
      self.manifest = manifest
      self.size = size
    }
  }

  /// A part of all installations that gets something else.
  public struct Arm: Sendable, Hashable, Codable {
    /// What it is called.
    public var name: RepositoryName
    /// Installations with a bucket below this, and not below an earlier arm's, are in it: 0 to
    /// 10,000, of 10,000.
    public var threshold: Int
    /// What they get.
    public var release: Release
    /// Their remote parameters; they add to the document's, and go before them.
    public var parameters: [String: String]

    /// Makes an arm.
    public init(
      name: RepositoryName, threshold: Int, release: Release, parameters: [String: String] = [:]
    ) {
      self.name = name
      self.threshold = threshold
      self.release = release
      self.parameters = parameters
    }
  }

  /// A rollout to a share of all installations (one arm), or variants that are compared (several).
  public struct Experiment: Sendable, Hashable, Codable {
    /// What buckets are drawn with: another salt draws anew.
    public var salt: String
    /// The arms, with rising thresholds.
    public var arms: [Arm]
    /// Whether nobody is to join: who has an arm's release keeps it.
    public var isPaused: Bool

    /// Makes an experiment.
    public init(salt: String, arms: [Arm], isPaused: Bool = false) {
      self.salt = salt
      self.arms = arms
      self.isPaused = isPaused
    }

    enum CodingKeys: String, CodingKey {
      case salt, arms
      case isPaused = "paused"
    }
  }

  /// The model.
  public var model: RepositoryName
  /// The channel.
  public var channel: RepositoryName
  /// Counts the changes of the channel, from 1: a client never goes back.
  public var documentVersion: Int
  /// When it was signed.
  public var issued: Date
  /// From when on nobody may take it for new.
  public var expires: Date
  /// What everybody gets who is in no arm; nil where the channel has nothing any more.
  public var release: Release?
  /// A rollout, or variants.
  public var experiment: Experiment?
  /// Remote parameters for all.
  public var parameters: [String: String]
  /// Versions of a lower sequence are unsafe: clients delete them.
  public var minimumSafeSequence: Int
  /// The version of the ``RootDocument`` that was in force; nil for a repository without one.
  ///
  /// A client that knows an older one asks for the newer ones first.
  public var root: Int?

  /// Makes a document.
  public init(
    model: RepositoryName, channel: RepositoryName, documentVersion: Int, issued: Date,
    expires: Date, release: Release?, experiment: Experiment? = nil,
    parameters: [String: String] = [:], minimumSafeSequence: Int = 0, root: Int? = nil
  ) {
    self.model = model
    self.channel = channel
    self.documentVersion = documentVersion
    self.issued = issued
    self.expires = expires
    self.release = release
    self.experiment = experiment
    self.parameters = parameters
    self.minimumSafeSequence = minimumSafeSequence
    self.root = root
  }

  enum CodingKeys: String, CodingKey {
    case model, channel, issued, expires, release, experiment, parameters, root
    case documentVersion = "document_version"
    case minimumSafeSequence = "minimum_safe_sequence"
  }

  /// The most bytes that a signed document may have.
  public static let maximumBytes = 1 << 20
  /// The highest ``documentVersion``: what every reader of JSON can count to.
  public static let maximumVersion = 1 << 53
}
#endif
