// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import ModelRepositoryClient
public import NetRunner
public import TensorIO

/// What runs models.
public struct ModelRuntimes: Sendable {
  /// The runtimes.
  public var backends: [any Backend]
  /// Returns what runs the model with the given path of its file, such as `gpu`, or `cpu` and why.
  ///
  /// It returns nil before the model's first run, and if models only run on the CPU.
  public var accelerator: @Sendable (_ modelPath: String) -> (name: String, reason: String?)?

  /// Makes runtimes.
  public init(
    backends: [any Backend],
    accelerator: @escaping @Sendable (_ modelPath: String) -> (name: String, reason: String?)? = {
      _ in nil
    }
  ) {
    self.backends = backends
    self.accelerator = accelerator
  }
}

/// The settings of Net Runner's server.
public struct NetRunnerOptions: Sendable {
  /// The address to listen on: a name or IP address of this machine.
  public var host = "127.0.0.1"
  /// The port, or 0 to choose a free one.
  public var port = 8080
  /// The runtimes that models run on.
  public var runtimes: ModelRuntimes
  /// The runtimes on which each model is tried out with zeros before it is shown; nil for those of
  /// ``runtimes``.
  public var trialBackends: [any Backend]?
  /// Makes the runtimes of an evaluation, whose report says what ran; nil for ``runtimes``.
  public var makeEvaluationRuntimes: (@Sendable () -> ModelRuntimes)?
  /// The folder of bundles, into which imports go.
  public var models: String
  /// Whether the models include the bundles that come with the program.
  public var includesShippedModels = true
  /// Folders of photos that may be evaluated.
  public var folders: [String] = []
  /// The folder for labelled photos, or nil to use a temporary folder that is deleted at the end.
  public var dataFolder: String?
  /// The token that requests must have, or nil to let every request pass.
  ///
  /// The token has at least ``minimumTokenLength`` bytes. It may be nil only if the server listens
  /// on a loopback address.
  public var token: String?
  /// The maximum number of connections per client address, or per 64-bit network for IPv6.
  ///
  /// Use 0 for no limit per address, such as behind a proxy from which all connections come. If
  /// there are too many connections, those that have waited the longest for a request are closed.
  public var connectionsPerAddress = 256
  /// An additional port that serves only the paths for monitors, without TLS; nil for none.
  ///
  /// The paths are `/healthz`, `/readyz`, `/v2/health/live` and `/v2/health/ready`. Clients can't
  /// use up the connections of this port.
  public var healthPort: Int?
  /// The number of seconds that requests may still take after the server was told to stop.
  public var shutdownTime = 30
  /// An additional port that serves the Open Inference Protocol over gRPC; nil for none.
  ///
  /// It has the same certificate and token as the other port. 0 chooses a free port.
  public var grpcPort: Int?
  /// The maximum number of items of waiting requests that run together, if the model declares a
  /// batch axis; 1 runs every request alone.
  public var batchSize = 32
  /// The number of milliseconds that a request waits for others that could run with it.
  ///
  /// With 0, requests only run together if they wait for a thread anyway.
  public var batchDelay = 0.0
  /// The PEM files of a certificate and its key, or nil to serve without TLS.
  public var certificate: (chain: String, key: String)?
  /// How many images to process at once.
  public var threads = 2
  /// Whether bundles may be imported from private and loopback addresses.
  public var allowsPrivateImports = false
  /// The time between two responses to wrong tokens from one address, after the first few.
  var wrongTokenInterval = Duration.milliseconds(500)
  /// The minimum rate at which request bodies must arrive.
  var minimumBodyRate = MinimumRate()
  /// The formats in which models' outputs are shown.
  public var outputFormats = OutputFormats()
  /// The metrics of evaluations.
  public var metrics = MetricRegistry.standard
  /// The maximum size of a request with tensors in bytes, or nil for what the model's inputs can
  /// need.
  public var maximumTensorRequestBytes: Int?
  /// The maximum size of an imported archive, in bytes.
  public var maximumBundleBytes = 512 << 20
  /// The repository that models can be imported from by name, or nil for none.
  ///
  /// Its `maximumBytes` is lowered to ``maximumBundleBytes`` if it is higher.
  public var repository: ModelRepositoryConfiguration?
  /// The program's version.
  public var version = "0"
  /// Returns the versions of the libraries that run the given bundles, by backend name, for
  /// reports.
  public var libraries: @Sendable ([ModelBundle]) -> [String: String] = { _ in [:] }

  /// Returns a message if the LiteRT library, which runs `.tflite` models, is missing, otherwise
  /// nil.
  public var libraryProblem: @Sendable () -> String? = { nil }

  /// Writes a bundle for a `.tflite` file, and returns one sentence for each assumption; nil refuses
  /// such files.
  ///
  /// The file can come from anyone, so a process of its own should read it.
  public var makeBundle: (@Sendable (_ model: String, _ bundle: String) throws -> [String])?

  /// Returns the operators and tensors of a `.tflite` file as a JSON document; nil shows no graphs.
  ///
  /// The file can come from anyone, so a process of its own should read it.
  public var readGraph: (@Sendable (_ model: String) throws -> [UInt8])?

  /// Runs a `.tflite` file, and returns the times of its operators as a JSON document; nil measures
  /// no operators.
  ///
  /// The file can come from anyone, so a process of its own should run it.
  public var measureOperators: (@Sendable (_ model: String) throws -> [UInt8])?

  /// The minimum length of a token, in bytes of UTF-8.
  public static let minimumTokenLength = 16

  /// Makes options.
  ///
  /// - Parameters:
  ///   - models: The folder of bundles.
  ///   - backends: The runtimes.
  public init(models: String, backends: [any Backend]) {
    self.models = models
    runtimes = ModelRuntimes(backends: backends)
  }

  /// Whether only this machine can reach the server.
  public var isLocal: Bool {
    ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
  }
}
#endif
