// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Foundation

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

  package init(
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
  package init(_ document: ChannelDocument) {
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

extension ChannelDocument {
  /// Creates the document that gives a channel's content to installations.
  ///
  /// - Parameters:
  ///   - content: The channel's content.
  ///   - channel: The channel's name.
  ///   - model: The model's name.
  ///   - documentVersion: The document's number.
  ///   - issued: When it is signed.
  ///   - expires: The date after which clients reject it.
  ///   - minimumSafeSequence: The lowest safe sequence if the content doesn't set one.
  ///   - release: Returns the release of a version.
  /// - Throws: The errors of `release`.
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
#endif
