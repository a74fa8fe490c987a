// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import ArgumentParser
import Foundation
import ModelCommands
public import ModelRepositoryAPI
import ModelRepositoryClient
import ModelRepositoryServer
import ModelTools
import TensorIO

/// A command whose work is asynchronous.
protocol WaitingCommand: ParsableCommand, Sendable {
  func work() async throws
}

extension WaitingCommand {
  func run() throws { try BlockingTask.run { try await work() } }
}

/// The options that name the server and the token.
struct RepositoryServerArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server (default: TENSORIO_REPOSITORY or http://127.0.0.1:8090).",
      valueName: "address"))
  var server: String?

  @Option(help: "A token; safer in TENSORIO_REPOSITORY_TOKEN.")
  var token: String?

  @Option(
    name: .customLong("ca"),
    help: ArgumentHelp(
      "A PEM file of authorities to trust besides the system's.",
      discussion: "SSL_CERT_FILE names a file of authorities to trust instead.", valueName: "file"),
    completion: .file())
  var certificateAuthorities: String?

  var address: String {
    server ?? Self.environment("TENSORIO_REPOSITORY") ?? "http://127.0.0.1:8090"
  }

  var secret: String? { token ?? Self.environment("TENSORIO_REPOSITORY_TOKEN") }

  /// Creates a publisher that sends requests to the server.
  func publisher() throws -> ModelRepositoryPublisher {
    let data =
      ProcessInfo.processInfo.environment["XDG_STATE_HOME"]
      ?? NSHomeDirectory() + "/.local/state"
    return try ModelRepositoryPublisher(
      server: address, token: secret, memory: data + "/tensorio/uploads",
      certificateAuthorities: certificateAuthorities)
  }

  private static func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The options of commands that print a server's response.
struct ServerOutputArguments: ParsableArguments {
  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print JSON.")
  var json = false
}

/// The option for a repository's folder on this machine.
struct DataFolderArguments: ParsableArguments {
  static let help = ArgumentHelp("The repository's folder on this machine.", valueName: "folder")

  @Option(help: Self.help, completion: .directory)
  var data: String

  func keys() throws -> RepositoryKeys { try Self.keys(data) }

  /// Opens the keys of a folder, which has to be a repository.
  static func keys(_ folder: String) throws -> RepositoryKeys {
    try requireRepository(folder)
    return try RepositoryKeys(dataFolder: folder)
  }

  /// Checks that a folder is a repository, so that a typo doesn't create one.
  static func requireRepository(_ folder: String) throws {
    guard FileSystem.isFile(folder + "/meta.sqlite") else {
      throw TensorIOError(
        .fileNotFound, "'\(folder)' isn't a repository folder, because it has no meta.sqlite.")
    }
  }
}

/// The option that names the channel.
struct ChannelArguments: ParsableArguments {
  @Option(help: "The channel.")
  var channel = RepositoryName.stable
}

/// The options of commands that change a channel.
struct ChannelChangeArguments: ParsableArguments {
  @OptionGroup var channel: ChannelArguments

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print the channel's document as JSON.")
  var json = false

  /// Changes a model's channel, and prints the new document.
  func changeChannel(
    of model: RepositoryName,
    _ change: @escaping @Sendable (inout ChannelContent) throws -> Void
  ) throws {
    try BlockingTask.run { [self] in
      let state = try await server.publisher().changeChannel(channel.channel, of: model, change)
      try ChannelPrinter.show(state.document, json: json)
    }
  }

  /// Changes a model's channel if it has a rollout, which has one arm, and prints the new document.
  ///
  /// - Throws: `TensorIOError` if there is no rollout, or an error of the closure or the server.
  func changeRollout(
    of model: RepositoryName,
    _ change: @escaping @Sendable (inout ChannelContent) throws -> Void
  ) throws {
    let channel = channel.channel
    try changeChannel(of: model) { content in
      guard content.experiment?.arms.map(\.name) == [.rollout] else {
        throw TensorIOError(
          .invalidOption,
          "Channel '\(channel)' of '\(model)' has no rollout. Start one with 'rollout start'.")
      }
      try change(&content)
    }
  }
}

extension RepositoryName {
  /// The name of a rollout's only arm.
  static let rollout: RepositoryName = {
    guard let name = RepositoryName("rollout") else { preconditionFailure("a name") }
    return name
  }()
}

extension RepositoryName: ExpressibleByArgument {
  /// Reads a name from the command line.
  public init?(argument: String) { self.init(argument) }
}

extension PublishingError: ReportedError {
  var exitCode: Int32 { status == 404 ? 66 : 65 }
}

extension RepositoryError: ReportedError {
  var exitCode: Int32 { 65 }
}

extension ModelRepositoryClientError: ReportedError {
  var exitCode: Int32 { code == .notFound ? 66 : 65 }
}

extension Console {
  /// Prints a document as servers send it, on one line.
  static func printJSON(_ document: some Encodable) throws {
    printJSONText(String(decoding: try RepositoryJSON.encode(document), as: UTF8.self))
  }
}

extension TokenScope: ExpressibleByArgument {}

extension Date {
  /// The time in the format of documents.
  var text: String { formatted(.iso8601) }
}

extension Int {
  /// The number of bytes as text for people, such as `1.5 MB`.
  var byteText: String {
    var value = Double(self)
    for unit in ["B", "kB", "MB", "GB"] {
      if value < 1000 { return unit == "B" ? "\(self) B" : "\(value.fixed(1)) \(unit)" }
      value /= 1000
    }
    return "\(value.fixed(1)) TB"
  }
}

/// The options that say where a repository's blobs are stored.
struct BlobLocationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where to store the models' files: s3://BUCKET/PREFIX, with the credentials in "
        + "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. The repository's "
        + "folder remembers it (default: in the folder itself).", valueName: "place"))
  var blobs: String?

  @Option(
    help: ArgumentHelp(
      "The URL of an S3-compatible store (default: Amazon's).", valueName: "address"))
  var s3Endpoint: String?

  @Option(
    help: ArgumentHelp(
      "The bucket's region (default: AWS_REGION, AWS_DEFAULT_REGION or us-east-1).",
      valueName: "region"))
  var s3Region: String?

  func validate() throws {
    guard blobs != nil || (s3Endpoint == nil && s3Region == nil) else {
      throw ValidationError("--s3-endpoint and --s3-region need --blobs s3://BUCKET/PREFIX.")
    }
  }

  /// Returns the location of the blobs, or nil if none was given.
  ///
  /// - Throws: `RepositoryError` if the location is invalid.
  func location() throws -> BlobLocation? {
    guard let blobs else { return nil }
    let environment = ProcessInfo.processInfo.environment
    let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].compactMap { environment[$0] }
    return .s3(
      try S3Location(
        blobs, endpoint: s3Endpoint,
        region: s3Region ?? named.first { !$0.isEmpty } ?? "us-east-1"))
  }
}

/// The options for the keys that a command trusts.
struct TrustedKeyArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A trusted key, as printed by 'repository keys'; may be repeated.", valueName: "key"))
  var key: [String] = []

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "A trusted root document instead of keys: a file from the repository's folder 'roots'.",
      valueName: "file"),
    completion: .file())
  var rootFile: String?

  func validate() throws {
    guard key.isEmpty != (rootFile == nil) else {
      throw ValidationError("Pass a key that you trust with --key, or a root document with --root.")
    }
    _ = try verificationKeys()
  }

  func verificationKeys() throws -> [VerificationKey] {
    do {
      return try key.map { try VerificationKey($0) }
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// Reads the root document, or returns nil if keys are given instead.
  func root() throws -> SignedDocument? {
    try rootFile.map(SignedDocument.init(ofRootFile:))
  }

  /// Returns the trust in the keys or in the root document.
  func trust() throws -> RepositoryTrust {
    guard let root = try root() else { return RepositoryTrust(keys: try verificationKeys()) }
    return try RepositoryTrust(root: root)
  }
}
#endif
