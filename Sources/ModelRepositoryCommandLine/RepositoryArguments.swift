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
import ModelTools
import TensorIO
import TensorIOCommandLine

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

  /// The server's address.
  var address: String {
    server ?? Self.environment("TENSORIO_REPOSITORY") ?? "http://127.0.0.1:8090"
  }

  /// The token, if there is one.
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

  /// Changes a model's channel if it has a rollout, and prints the new document.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - change: A closure that takes the rollout, which has one arm, and changes the content.
  /// - Throws: `TensorIOError` if there is no rollout, or an error of the closure or the server.
  func changeRollout(
    of model: RepositoryName,
    _ change:
      @escaping @Sendable (ChannelContent.Experiment, inout ChannelContent) throws -> Void
  ) throws {
    let channel = channel.channel
    try changeChannel(of: model) { content in
      guard let rollout = content.experiment, rollout.arms.map(\.name) == [.rollout] else {
        throw TensorIOError(
          .invalidOption,
          "Channel '\(channel)' of '\(model)' has no rollout. Start one with 'rollout start'.")
      }
      try change(rollout, &content)
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
#endif
