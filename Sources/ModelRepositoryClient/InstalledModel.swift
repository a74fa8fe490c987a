// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import ModelRepositoryAPI

/// A model on disk that was verified, and that this process may load.
public struct InstalledModel: Sendable {
  /// Where a model came from.
  public enum Source: String, Sendable, Codable {
    /// The version that the channel's newest known document gives this installation.
    case repository
    /// The version before that one, because the newer one is damaged, unsafe or quarantined.
    case previous
    /// The program's own: nothing else can be used. Its bytes are not verified.
    case bundled
  }

  /// A version in the cache.
  public struct Version: Sendable, Hashable {
    /// What it is called.
    public var version: RepositoryName
    /// How many versions of the model were published before it, and one.
    public var sequence: Int
    /// The digest of its manifest: what names it for ever.
    public var manifest: BlobDigest
    /// What its files make together.
    public var format: VersionManifest.Format
    /// The bytes of its files.
    public var size: Int
    /// The arm of the experiment that it was fetched for; nil outside of one.
    public var arm: RepositoryName?
    /// The remote parameters.
    public var parameters: [String: String]
    /// Whether a process said that it loads: ``ModelRepositoryClient/markLoaded(_:)``.
    public var isProven: Bool
  }

  /// What the cache has of a model.
  public struct State: Sendable, Hashable {
    /// The model.
    public var model: RepositoryName
    /// What new processes use.
    public var active: Version?
    /// What they use when the active one fails.
    public var previous: Version?
    /// What the next process to ask makes active.
    public var pending: Version?
    /// The manifests of versions that failed twice.
    public var quarantined: [BlobDigest]
    /// The newest document that was seen, by channel.
    public var documentVersions: [RepositoryName: Int]
  }

  /// The model.
  public let model: RepositoryName
  /// The version; nil for a model that came with the program.
  public let version: RepositoryName?
  /// How many versions were published before it, and one; 0 for one that came with the program.
  public let sequence: Int
  /// The digest of its manifest; nil for a model that came with the program.
  public let manifest: BlobDigest?
  /// A `.tiobundle` folder, or a `.tflite` file.
  ///
  /// Nothing may be written there.
  public let path: String
  /// What the path is.
  public let format: VersionManifest.Format
  /// The arm of the experiment; nil outside of one.
  public let arm: RepositoryName?
  /// The remote parameters.
  public let parameters: [String: String]
  /// Where the model came from.
  public let source: Source

  /// Kept alive, and with it the claim to the files: nobody removes them from under a process.
  let client: ModelRepositoryClient
}
#endif
