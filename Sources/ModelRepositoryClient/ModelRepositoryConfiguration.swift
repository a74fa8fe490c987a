// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import ModelRepositoryAPI

/// Where models come from, whom to trust, and where they are kept.
public struct ModelRepositoryConfiguration: Sendable {
  /// The server's address: `https://models.example.com`, with a path if it has one.
  ///
  /// Plain http is possible to this computer only, unless ``allowsInsecureConnections``.
  public var server: String
  /// The keys that may sign; one valid signature of any of them is enough.
  ///
  /// A repository with a root document tells which keys sign from then on, where one of these keys
  /// signed that document. Never empty, unless ``root`` is given.
  public var keys: [VerificationKey]
  /// The root document to begin with, which says by itself how many keys have to sign the next one;
  /// nil begins with ``keys``, which are not looked at otherwise.
  ///
  /// A program has it as a file, `roots/N.json` of the repository's folder:
  ///
  /// ```swift
  /// configuration.root = try RepositoryJSON.decode(SignedDocument.self, from: Data(contentsOf: file))
  /// ```
  public var root: SignedDocument?
  /// The cache: it is made when it is not there.
  ///
  /// Processes may share it. Installations with ids of their own share the blobs, and each has its own
  /// versions.
  public var folder: String
  /// The channel that is followed.
  public var channel: RepositoryName = .stable
  /// A token that may read; it goes to ``server`` only, never to where that redirects.
  public var token: String?
  /// A PEM file of authorities that are trusted besides the system's, for a server with a private
  /// certificate.
  ///
  /// The variable `SSL_CERT_FILE` names authorities that are trusted instead of the system's.
  public var certificateAuthorities: String?
  /// What rollouts tell this installation from others by; nil: made once and kept in the folder.
  public var installationID: String?
  /// Models that came with the program, the last resort: a `.tiobundle` folder or a `.tflite` file.
  public var bundled: [RepositoryName: String] = [:]
  /// Whether plain http is possible to other computers too.
  ///
  /// What is fetched is verified all the same, but everybody on the way can see it, and the token.
  public var allowsInsecureConnections = false
  /// How long a server may take to accept a connection.
  public var connectTimeout: Duration = .seconds(10)
  /// How long a server may send nothing.
  ///
  /// A download as a whole may take as long as it takes.
  public var stallTimeout: Duration = .seconds(30)
  /// How often a request is repeated after a broken connection, a silence, 429 or 5xx, as long as
  /// nothing comes; every byte that does come starts the count anew.
  public var retries = 4
  /// The pause before the first repetition; it doubles up to 30 s, and half of it is random.
  public var retryDelay: Duration = .milliseconds(500)
  /// The most bytes that a version may have.
  public var maximumBytes = 4 << 30
  /// For how long an incomplete file is kept, to go on with it: ``ModelRepositoryClient/removeUnused()``.
  public var partialLifetime: Duration = .seconds(24 * 3600)
  /// Whether a server that was never reached is given up at once: a person waits for the answer.
  package var failsFast = false
  /// Told which version a process began to use, once for a model; nil tells nobody.
  public var onExposure: (@Sendable (Exposure) -> Void)?

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - keys: The keys that may sign.
  ///   - folder: The cache.
  public init(server: String, keys: [VerificationKey], folder: String) {
    self.server = server
    self.keys = keys
    self.folder = folder
  }
}

/// An installation began to use a version: what experiments count.
public struct Exposure: Sendable, Hashable {
  /// What rollouts know the installation by.
  public var installationID: String
  /// The model.
  public var model: RepositoryName
  /// The channel.
  public var channel: RepositoryName
  /// The version; nil for a model that came with the program.
  public var version: RepositoryName?
  /// The arm of the experiment; nil outside of one.
  public var arm: RepositoryName?
  /// Where the model came from.
  public var source: InstalledModel.Source
}
#endif
