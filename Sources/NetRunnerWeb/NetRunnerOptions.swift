// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import ModelRepositoryClient
public import NetRunner
public import TensorIO

/// How Net Runner's server is set up.
public struct NetRunnerOptions: Sendable {
  /// The address to listen on; a name or number of this machine.
  public var host = "127.0.0.1"
  /// The port; 0 takes one that is free.
  public var port = 8080
  /// The runtimes that models run on.
  public var backends: [any Backend]
  /// The folder of bundles, which imports go into.
  public var models: String
  /// Whether the bundles that came with the program are among the models.
  public var includesShippedModels = true
  /// Folders of photos that may be evaluated.
  public var folders: [String] = []
  /// Where labelled photos are kept; nil takes a temporary folder, which goes away at the end.
  public var dataFolder: String?
  /// What requests must bear, ``minimumTokenLength`` characters or more; nil lets every request pass,
  /// which only a loopback address may.
  public var token: String?
  /// How many connections a client's address may have, or an IPv6 network of 64 bits.
  ///
  /// 0 is any number, as behind a proxy, from which all connections come. Where there are more, those
  /// are closed that have waited the longest for a request.
  public var connectionsPerAddress = 256
  /// The files of a certificate and its key, in PEM; nil serves without TLS.
  public var certificate: (chain: String, key: String)?
  /// How many pictures are worked on at once.
  public var threads = 2
  /// Whether bundles may be imported from private and loopback addresses.
  public var allowsPrivateImports = false
  /// The time between two answers to wrong tokens from one address, once it has sent a few.
  var wrongTokenInterval = Duration.milliseconds(500)
  /// How slowly requests' bodies may arrive.
  var minimumBodyRate = MinimumRate()
  /// The ways to show what models say.
  public var outputFormats = OutputFormats()
  /// The metrics of evaluations.
  public var metrics = MetricRegistry.standard
  /// The most bytes that a request with tensors may have; nil takes what the model's inputs can need.
  public var maximumTensorRequestBytes: Int?
  /// The most bytes that an imported archive may have.
  public var maximumBundleBytes = 512 << 20
  /// The repository that models can be imported from by name; nil for none.
  ///
  /// Its `maximumBytes` is ``maximumBundleBytes`` where that is less.
  public var repository: ModelRepositoryConfiguration?
  /// The program's version.
  public var version = "0"
  /// Tells the versions of the libraries that run some bundles, by the backends' names, for reports.
  public var libraries: @Sendable ([ModelBundle]) -> [String: String] = { _ in [:] }

  /// Tells in a sentence that the library of LiteRT, which runs `.tflite` models, is missing; nil where
  /// it is there.
  public var libraryProblem: @Sendable () -> String? = { nil }

  /// The fewest characters that a token may have.
  public static let minimumTokenLength = 16

  /// Makes options.
  ///
  /// - Parameters:
  ///   - models: The folder of bundles.
  ///   - backends: The runtimes.
  public init(models: String, backends: [any Backend]) {
    self.models = models
    self.backends = backends
  }

  /// Whether only this machine can reach the server.
  public var isLocal: Bool {
    ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
  }
}
#endif
