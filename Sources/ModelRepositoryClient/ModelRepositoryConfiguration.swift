// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
public import ModelRepositoryAPI
import TensorIO

/// The settings of a client: the server, the trusted keys, and the cache.
public struct ModelRepositoryConfiguration: Sendable {
  /// The server's address, such as `https://models.example.com`, with a path if it has one.
  ///
  /// Plain HTTP is allowed only for this computer, unless ``allowsInsecureConnections`` is set.
  public var server: String
  /// The trusted signing keys, of which any one may sign.
  ///
  /// If one of these keys signed the repository's root document, that document decides from then on
  /// which keys are trusted. The array must not be empty unless ``root`` is set.
  public var keys: [VerificationKey]
  /// The root document to start with, or nil to start with ``keys``.
  ///
  /// The root document itself says how many keys must sign the next one. If it is set, ``keys`` is
  /// ignored.
  ///
  /// A program reads it from a file, which is `roots/N.json` in the repository's folder:
  ///
  /// ```swift
  /// let data = try Data(contentsOf: file)
  /// configuration.root = try RepositoryJSON.decode(SignedDocument.self, from: data)
  /// ```
  public var root: SignedDocument?
  /// The cache's folder, which is created if it is missing.
  ///
  /// Processes may share it. Installations with different identifiers share the blobs, but each
  /// keeps its own versions.
  public var folder: String
  /// The channel to follow.
  public var channel: RepositoryName = .stable
  /// A token with read access.
  ///
  /// It is sent only to ``server``, never to a server that it redirects to.
  public var token: String?
  /// A PEM file of certificate authorities to trust in addition to the system's.
  ///
  /// Use it for a server with a private certificate.
  ///
  /// The environment variable `SSL_CERT_FILE` names a file of authorities to trust instead of the
  /// system's.
  public var certificateAuthorities: String?
  /// The identifier that rollouts use for this installation.
  ///
  /// If it is nil, the client creates one and keeps it in the folder.
  public var installationID: String?
  /// The paths of models that came with the program, which are used as a last resort.
  ///
  /// Each path is a `.tiobundle` folder or a `.tflite` file.
  public var bundled: [RepositoryName: String] = [:]
  /// Whether plain HTTP is also allowed for other computers.
  ///
  /// Everything that is fetched is still verified, but anyone on the network can read it, including
  /// the token.
  public var allowsInsecureConnections = false
  /// The time that a server may take to accept a connection.
  public var connectTimeout: Duration = .seconds(10)
  /// The time after which a server that sends nothing counts as stalled.
  ///
  /// The duration of a whole download isn't limited.
  public var stallTimeout: Duration = .seconds(30)
  /// The number of retries after a broken connection, a stall, or a response with status 408, 429
  /// or 5xx.
  ///
  /// The count starts again whenever new bytes arrive.
  public var retries = 4
  /// The delay before the first retry.
  ///
  /// It doubles with each retry, up to 30 s, and up to half of it is random.
  public var retryDelay: Duration = .milliseconds(500)
  /// The maximum size of a version, in bytes.
  public var maximumBytes = 4 << 30
  /// The time that an incomplete file is kept so that a download can resume.
  ///
  /// See ``ModelRepositoryClient/removeUnused()``.
  public var partialLifetime: Duration = .seconds(24 * 3600)
  /// Whether to give up at once on a server that was never reached, because a person is waiting.
  package var failsFast = false
  /// A handler that is called when this process starts to use a version of a model.
  public var onExposure: (@Sendable (Exposure) -> Void)?

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - keys: The trusted signing keys.
  ///   - folder: The cache's folder.
  public init(server: String, keys: [VerificationKey], folder: String) {
    self.server = server
    self.keys = keys
    self.folder = folder
  }
}

/// A record that an installation started to use a version, which experiments count.
public struct Exposure: Sendable, Hashable {
  /// The identifier that rollouts use for the installation.
  public var installationID: String
  /// The model's name.
  public var model: RepositoryName
  /// The channel that the installation follows.
  public var channel: RepositoryName
  /// The version, or nil for a model that came with the program.
  public var version: RepositoryName?
  /// The arm of the experiment, or nil outside of one.
  public var arm: RepositoryName?
  /// Where the model came from.
  public var source: InstalledModel.Source
}

extension SignedDocument {
  /// Reads a root document without verifying it.
  ///
  /// - Throws: `TensorIOError` that says what the file should be.
  package init(ofRootFile path: String) throws {
    let data = try Data(FileSystem.read(path))
    do {
      self = try RepositoryJSON.decode(SignedDocument.self, from: data)
    } catch {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' isn't a signed root document. Use the file roots/N.json from a repository's "
          + "folder, or what its server returns at /v1/root.", cause: error)
    }
  }
}

/// The cache that commands use.
package enum RepositoryCache {
  /// Returns the cache folder for a server's channel.
  ///
  /// Each server and channel has its own folder, because their document versions can't be compared.
  package static func folder(server: String, channel: RepositoryName) -> String {
    let caches =
      ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    let name = BlobDigest(of: "\(server)|\(channel)".utf8).hexadecimal.prefix(16)
    return caches + "/tensorio/repository/\(name)"
  }
}
#endif
