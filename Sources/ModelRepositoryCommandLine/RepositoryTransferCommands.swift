// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelTools
import Synchronization
import TensorIO
import WebClient

/// The options of commands that try a model, and send or receive it.
struct TransferArguments: ParsableArguments {
  @Option(name: .long, help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @OptionGroup var server: RepositoryServerArguments

  var backends: [any Backend] { Backends.isolated(by: memoryLimit) }
}

/// The command `tensorio repository push`.
struct RepositoryPushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Publish a version of a model.",
    discussion: """
      Before anything is sent, the model is loaded and run once on zeros in a separate process.
      Files that the server already has aren't sent again, and an interrupted upload continues. \
      No client gets the version until a channel serves it. --channel makes a channel serve it to \
      all installations outside a rollout. For a gradual start, see 'rollout'.
      """)

  @Argument(
    help: ArgumentHelp("A .tiobundle folder or a .tflite file.", valueName: "model-file"),
    completion: .file())
  var path: String

  @Option(help: "The model's name in the repository.")
  var model: RepositoryName

  @Option(
    name: .customLong("as"), help: ArgumentHelp("The name of the version.", valueName: "version"))
  var version: RepositoryName

  @Option(help: "Notes for people.")
  var details: String?

  @Option(help: "A channel that serves it at once to all installations outside a rollout.")
  var channel: RepositoryName?

  @Flag(help: "Publish the files without a trial run of the model.")
  var noCheck = false

  @OptionGroup var transfer: TransferArguments

  @Flag(help: "Print the version as JSON.")
  var json = false

  func run() throws {
    try PublishedModel(path: path).check(noCheck ? nil : transfer.backends)
    try BlockingTask.run { [self] in
      let publisher = try transfer.server.publisher()
      let bar = Mutex<ProgressBar?>(nil)
      let record = try await publisher.publish(
        path, as: model, version: version, details: details
      ) { progress in
        bar.withLock { bar in
          if bar == nil { bar = ProgressBar(total: progress.totalBytes) }
          bar?.show(progress.sentBytes)
        }
      }
      bar.withLock { $0?.end() }
      guard !record.isWithdrawn else {
        throw RepositoryError(
          .invalidOption,
          "Version '\(record.version)' of '\(model)' was withdrawn, and stays so. Publish these files "
            + "under another name of a version.")
      }
      if let channel {
        try await publisher.changeChannel(channel, of: model) { content in
          content.version = version
        }
      }
      if json { return try Console.printJSON(record) }
      Console.printData(
        "\(model) \(record.version), number \(record.sequence), \(record.size.byteText)"
          + (channel.map { ", on \($0)" } ?? ""))
    }
  }
}

/// The command `tensorio repository pull`.
struct RepositoryPullCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Download the version that a channel serves, and verify every byte.",
    discussion: """
      Before the model is moved into the folder, it is loaded and run once on zeros in a separate \
      process. An interrupted download continues where it stopped.
      """)

  @Argument(help: "The model.")
  var model: RepositoryName

  @OptionGroup var keys: TrustedKeyArguments

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The folder for the model, which is named MODEL.tiobundle or MODEL.tflite.",
      valueName: "folder"),
    completion: .directory)
  var output: String

  @OptionGroup var channel: ChannelArguments

  @Option(help: "The identifier of this installation for rollouts (default: one for this machine).")
  var installationID: String?

  @Flag(help: "Replace an existing model.")
  var force = false

  @Flag(help: "Download the files without a trial run of the model.")
  var noCheck = false

  @OptionGroup var transfer: TransferArguments

  @Flag(help: "Print the result as JSON.")
  var json = false

  func work() async throws {
    let client = try ModelRepositoryClient(configuration())
    let installed = try await installed(client)
    let name = "\(model)." + (installed.format == .bundle ? "tiobundle" : "tflite")
    let placement = ModelPlacement(target: output + "/" + name, replaces: force)
    do {
      try placement.check()
      if !noCheck { try check(installed, client, target: placement.target) }
      try placement.place(installed.path)
    } catch {
      // Errors here aren't the model's fault. A failed trial has already been recorded.
      try client.withdrawAttempt(installed)
      throw error
    }
    try noCheck ? client.withdrawAttempt(installed) : client.markLoaded(installed)
    try show(installed, in: placement.target)
  }

  private func installed(_ client: ModelRepositoryClient) async throws -> InstalledModel {
    // Each pull tries the model again, so earlier failures don't matter.
    try client.forgetFailures(of: model)
    var bar: ProgressBar?
    for try await progress in client.download(model) {
      if bar == nil { bar = ProgressBar(total: progress.totalBytes) }
      bar?.show(progress.receivedBytes)
    }
    bar?.end()
    return try client.installed(model)
  }

  /// Tries a model before it is put into the user's folder.
  ///
  /// - Throws: `TensorIOError` that says why the model is refused. The cache then returns to the
  ///   previous version.
  private func check(
    _ installed: InstalledModel, _ client: ModelRepositoryClient, target: String
  ) throws {
    do {
      try installed.tryOut(with: transfer.backends)
    } catch var error as TensorIOError {
      let subject = "Version '\(installed.version?.text ?? "")' of '\(model)'"
      let reason = error.message.replacing(installed.path, with: FileSystem.name(of: target))
      error.message =
        error.code == .missingLibrary
        ? "\(subject) was downloaded, but the trial run isn't possible: \(reason)"
        : "\(subject) was refused: \(reason)"
      error.message +=
        FileManager.default.fileExists(atPath: target)
        ? " '\(target)' wasn't changed." : " Nothing was written to '\(output)'."
      error.message += " Pass --no-check to get the files without a trial run."
      throw error
    }
  }

  private func show(_ installed: InstalledModel, in target: String) throws {
    let version = installed.version?.text ?? ""
    guard json else { return Console.printData("\(model) \(version) in \(target)") }
    try Console.printJSON(
      .object([
        "model": .string(model.text), "version": .string(version), "path": .string(target),
        "arm": .stringOrNull(installed.arm?.text),
        "parameters": .object(installed.parameters.mapValues { .string($0) }),
      ]))
  }

  private func configuration() throws -> ModelRepositoryConfiguration {
    let server = transfer.server
    var configuration = ModelRepositoryConfiguration(
      server: server.address, keys: try keys.verificationKeys(),
      folder: RepositoryCache.folder(server: server.address, channel: channel.channel))
    configuration.root = try keys.root()
    configuration.channel = channel.channel
    configuration.token = server.secret
    configuration.installationID = installationID
    configuration.certificateAuthorities = server.certificateAuthorities
    configuration.connectTimeout = .seconds(ConnectionFault.connectSeconds)
    configuration.failsFast = true
    return configuration
  }
}

/// The command `tensorio repository verify`.
struct RepositoryVerifyCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Download all that a channel serves, and verify the signature and every byte.")

  @Argument(help: "The model.")
  var model: RepositoryName

  @OptionGroup var keys: TrustedKeyArguments

  @OptionGroup var channel: ChannelArguments

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print the findings as JSON.")
  var json = false

  func work() async throws {
    let verifier = try RepositoryVerifier(
      server: server.address, token: server.secret, trust: keys.trust(),
      certificateAuthorities: server.certificateAuthorities)
    let report = try await verifier.verify(channel.channel, of: model)
    if json {
      try Console.printJSON(
        .object([
          "document_version": .integer(Int64(report.document.documentVersion)),
          "blobs": .integer(Int64(report.blobs)), "bytes": .integer(Int64(report.bytes)),
          "faults": .strings(report.faults),
        ]))
    } else {
      Console.printData(
        "document \(report.document.documentVersion), \(report.blobs) blobs, "
          + "\(report.bytes.byteText), \(report.faults.count) faults")
      for fault in report.faults { Console.printData(fault.printable) }
    }
    if !report.faults.isEmpty { throw ExitCode(65) }
  }
}
#endif
