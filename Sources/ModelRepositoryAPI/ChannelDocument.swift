// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
public import Foundation

/// A signed document that says which installations get which version of a model.
///
/// Each installation computes its own release, so the server doesn't need to know which
/// installation has which version.
public struct ChannelDocument: Sendable, Hashable, Codable {
  /// A version of the model.
  public struct Release: Sendable, Hashable, Codable {
    /// The version's name.
    public var version: RepositoryName
    /// The version's number among all versions of the model in the order of publishing, from 1.
    public var sequence: Int
    /// A reference to the ``VersionManifest``.
    public var manifest: BlobReference
    /// The total size of its files, in bytes.
    public var size: Int
  }

  /// A share of the installations that gets its own release and parameters.
  public struct Arm: Sendable, Hashable, Codable {
    /// The arm's name.
    public var name: RepositoryName
    /// The exclusive upper limit of the arm's buckets, from 0 to 10,000.
    ///
    /// An installation is in the first arm whose threshold is above the installation's bucket.
    public var threshold: Int
    /// The release that the arm's installations get.
    public var release: Release
    /// The arm's remote parameters, which are merged with the document's and take precedence.
    public var parameters: [String: String] = [:]
  }

  /// A rollout to a share of the installations (one arm), or a comparison of variants (several
  /// arms).
  public struct Experiment: Sendable, Hashable, Codable {
    /// The salt for computing buckets, so that another salt gives new buckets.
    public var salt: String
    /// The arms, with rising thresholds.
    public var arms: [Arm]
    /// Whether the experiment is paused.
    ///
    /// While it is paused, no installation joins an arm, but installations keep an arm's release if
    /// they have it.
    public var isPaused = false

    enum CodingKeys: String, CodingKey {
      case salt, arms
      case isPaused = "paused"
    }
  }

  /// The model's name.
  public var model: RepositoryName
  /// The channel's name.
  public var channel: RepositoryName
  /// The document's number in the channel, from 1.
  ///
  /// Clients reject documents with a lower number than one that they have seen.
  public var documentVersion: Int
  /// When it was signed.
  public var issued: Date
  /// The date after which clients reject the document.
  public var expires: Date
  /// The release for installations outside of all arms, or nil if the channel has none.
  public var release: Release?
  /// A rollout or variants.
  public var experiment: Experiment?
  /// The remote parameters for all installations.
  public var parameters: [String: String] = [:]
  /// The lowest safe sequence.
  ///
  /// Versions with a lower sequence are unsafe, so clients delete them.
  public var minimumSafeSequence = 0
  /// The version of the ``RootDocument`` that was in force, or nil for a repository without one.
  ///
  /// A client that has an older root document fetches the newer ones first.
  public var root: Int?

  enum CodingKeys: String, CodingKey {
    case model, channel, issued, expires, release, experiment, parameters, root
    case documentVersion = "document_version"
    case minimumSafeSequence = "minimum_safe_sequence"
  }

  /// The maximum size of a signed document, in bytes.
  package static let maximumBytes = 1 << 20
  /// The highest ``documentVersion``, up to which every JSON parser represents integers exactly.
  package static let maximumVersion = 1 << 53

  /// The dates on which the document was issued and expires.
  package var times: DocumentTimes { DocumentTimes(issued: issued, expires: expires) }

  /// The releases of all arms and of the installations outside of them.
  package var releases: [Release] {
    [release].compactMap { $0 } + (experiment?.arms.map(\.release) ?? [])
  }
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

  enum CodingKeys: String, CodingKey {
    case version, experiment, parameters
    case minimumSafeSequence = "minimum_safe_sequence"
  }
}

extension ChannelContent {
  /// The versions of all arms and of the installations outside of them.
  package var versions: [RepositoryName] {
    [version].compactMap { $0 } + (experiment?.arms.map(\.version) ?? [])
  }

  /// Creates the content that a document was made from, or the content of a new channel.
  package init(_ document: ChannelDocument?) {
    self.init(
      version: document?.release?.version,
      experiment: document?.experiment.map { experiment in
        Experiment(
          salt: experiment.salt,
          arms: experiment.arms.map {
            Arm(
              name: $0.name, threshold: $0.threshold, version: $0.release.version,
              parameters: $0.parameters)
          }, isPaused: experiment.isPaused)
      },
      parameters: document?.parameters, minimumSafeSequence: document?.minimumSafeSequence)
  }
}

extension ChannelDocument {
  /// Creates the document that gives a channel's content to installations.
  ///
  /// The given ``minimumSafeSequence`` holds if the content doesn't set one. The closure returns
  /// the release of a version.
  package init(
    _ content: ChannelContent, _ channel: RepositoryName, of model: RepositoryName,
    documentVersion: Int, issued: Date, expires: Date, minimumSafeSequence: Int,
    _ release: (RepositoryName) throws -> Release
  ) throws {
    let experiment = try content.experiment.map { experiment in
      Experiment(
        salt: experiment.salt,
        arms: try experiment.arms.map {
          Arm(
            name: $0.name, threshold: $0.threshold, release: try release($0.version),
            parameters: $0.parameters ?? [:])
        }, isPaused: experiment.isPaused ?? false)
    }
    self.init(
      model: model, channel: channel, documentVersion: documentVersion, issued: issued,
      expires: expires, release: try content.version.map(release), experiment: experiment,
      parameters: content.parameters ?? [:],
      minimumSafeSequence: content.minimumSafeSequence ?? minimumSafeSequence)
  }
}

/// The version and the parameters that an installation gets.
package struct Assignment: Sendable, Hashable {
  /// The version, or nil if the channel has none for the installation.
  package var release: ChannelDocument.Release?
  /// The installation's arm, or nil outside of an experiment.
  package var arm: RepositoryName?
  package var parameters: [String: String]
}

extension ChannelDocument {
  /// Returns the release that an installation gets.
  ///
  /// - Parameters:
  ///   - installationID: The installation's identifier.
  ///   - present: The manifest digests of the versions that the installation has. While an
  ///     experiment is paused, an installation keeps an arm's release only if it already has it.
  /// - Returns: The release, the arm, and the parameters.
  package func assignment(
    for installationID: String, having present: Set<BlobDigest> = []
  ) -> Assignment {
    let others = Assignment(release: release, arm: nil, parameters: parameters)
    guard let experiment else { return others }
    let bucket = RolloutBucket.number(of: installationID, salt: experiment.salt)
    guard let arm = experiment.arms.first(where: { bucket < $0.threshold }),
      !experiment.isPaused || present.contains(arm.release.manifest.digest)
    else { return others }
    return Assignment(
      release: arm.release, arm: arm.name,
      parameters: parameters.merging(arm.parameters) { _, own in own })
  }

  /// Checks the constraints that decoding doesn't check.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidDocument`.
  package func validate() throws {
    func require(_ condition: Bool, _ what: String) throws {
      guard condition else {
        throw RepositoryError(.invalidDocument, "Channel '\(channel)' of '\(model)' \(what).")
      }
    }
    try require(
      (1...Self.maximumVersion).contains(documentVersion),
      "has the document version \(documentVersion), which is out of range")
    try require(
      root.map { $0 > 0 } ?? true,
      "was signed under a root document with an invalid version")
    try require(issued < expires, "expires before it was issued")
    try require(minimumSafeSequence >= 0, "has a negative minimum_safe_sequence")
    for release in releases {
      try require(
        release.sequence > 0 && release.size >= 0
          && (1...VersionManifest.maximumBytes).contains(release.manifest.size),
        "has an invalid sequence or size for version '\(release.version)'")
      try require(
        release.sequence >= minimumSafeSequence,
        "has version '\(release.version)', which is older than the oldest safe version")
    }
    guard let experiment else { return }
    try require(!experiment.arms.isEmpty, "has an experiment without arms")
    try require(
      (1...200).contains(experiment.salt.utf8.count),
      "has an experiment whose salt doesn't have 1 to 200 bytes")
    try require(
      Set(experiment.arms.map(\.name)).count == experiment.arms.count,
      "has two arms with the same name")
    let thresholds = experiment.arms.map(\.threshold)
    try require(
      thresholds.allSatisfy((0...RolloutBucket.count).contains)
        && zip(thresholds, thresholds.dropFirst()).allSatisfy { $0 <= $1 },
      "has the thresholds \(thresholds), but they must increase and be between 0 and "
        + "\(RolloutBucket.count)")
  }
}

/// The bucket of an installation, which is one of 10,000 equal parts of all installations.
///
/// Raising an arm's threshold keeps the installations that were below the old one. Another salt
/// gives new, independent buckets.
package enum RolloutBucket {
  static let count = 10_000

  /// Computes the bucket of an installation.
  ///
  /// It is the first eight bytes of the SHA-256 of `mh1|SALT|INSTALLATION`, as a big-endian number,
  /// modulo 10,000.
  package static func number(of installationID: String, salt: String) -> Int {
    let digest = SHA256.hash(data: Array("mh1|\(salt)|\(installationID)".utf8))
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}
#endif
