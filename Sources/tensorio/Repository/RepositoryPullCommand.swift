// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ModelRepositoryAPI
import ModelRepositoryClient
import Synchronization
import TensorIO

/// The keys that a command trusts.
struct TrustedKeyArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A key that is trusted, as 'repository keys' prints it; may be repeated.", valueName: "key"))
  var key: [String] = []

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "A root document that is trusted instead of keys: a file of the repository's folder 'roots'.",
      valueName: "file"),
    completion: .file())
  var rootFile: String?

  func validate() throws {
    guard key.isEmpty != (rootFile == nil) else {
      throw ValidationError("Name a key that you trust with --key, or a root document with --root.")
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

  /// The root document; nil where keys are trusted.
  func root() throws -> SignedDocument? {
    guard let rootFile else { return nil }
    let data = try Data(FileSystem.read(rootFile))
    do {
      return try RepositoryJSON.decode(SignedDocument.self, from: data)
    } catch {
      throw TensorIOError(
        .unreadableFile,
        "'\(rootFile)' is not a signed root document. It is the file roots/N.json of a repository's "
          + "folder, or what its server answers at /v1/root.", cause: error)
    }
  }

  /// What is trusted.
  func trust() throws -> RepositoryTrust {
    guard let root = try root() else { return RepositoryTrust(keys: try verificationKeys()) }
    return try RepositoryTrust(root: root)
  }
}

/// The command `tensorio repository pull`.
struct RepositoryPullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Download the version that a channel gives, and check every byte.",
    discussion: "A download that was interrupted goes on.")

  @Argument(help: "The model.")
  var model: RepositoryName

  @OptionGroup var keys: TrustedKeyArguments

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The folder that the model is put into, as MODEL.tiobundle or MODEL.tflite.",
      valueName: "folder"),
    completion: .directory)
  var output: String

  @OptionGroup var channel: ChannelArguments

  @Option(help: "Which installation this is, in rollouts; one of this machine unless told.")
  var installationID: String?

  @Flag(help: "Replace a model that is there.")
  var force = false

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print what was downloaded as JSON.")
  var json = false

  func run() throws {
    let client = try ModelRepositoryClient(configuration())
    try BlockingTask.run { [self] in
      let installed = try await installed(client)
      let target = output + "/\(model)." + (installed.format == .bundle ? "tiobundle" : "tflite")
      try place(installed.path, at: target)
      // Whoever loads it will see whether it works; here nothing was tried.
      try client.markLoaded(installed)
      let version = installed.version?.text ?? ""
      if json {
        return try Console.printJSON(
          .object([
            "model": .string(model.text), "version": .string(version), "path": .string(target),
            "arm": installed.arm.map { .string($0.text) } ?? .null,
            "parameters": .object(installed.parameters.mapValues { .string($0) }),
          ]))
      }
      Console.printData("\(model) \(version) in \(target)")
    }
  }

  private func installed(_ client: ModelRepositoryClient) async throws -> InstalledModel {
    do {
      var bar: ProgressBar?
      for try await progress in client.download(model) {
        if bar == nil { bar = ProgressBar(total: progress.totalBytes) }
        bar?.show(progress.receivedBytes)
      }
      bar?.end()
      return try client.installed(model)
    } catch let error as ModelRepositoryClientError where error.code == .quarantined {
      // Commands that were killed, twice, before they had copied it.
      try client.delete(model)
      _ = try await client.update(model)
      return try client.installed(model)
    }
  }

  private func configuration() throws -> ModelRepositoryConfiguration {
    var configuration = ModelRepositoryConfiguration(
      server: server.address, keys: try keys.verificationKeys(),
      folder: RepositoryCache.folder(server: server.address, channel: channel.channel))
    configuration.root = try keys.root()
    configuration.channel = channel.channel
    configuration.token = server.secret
    configuration.installationID = installationID
    return configuration
  }

  /// Copies the model beside its place, then renames it.
  private func place(_ source: String, at target: String) throws {
    let files = FileManager.default
    guard force || !files.fileExists(atPath: target) else {
      throw TensorIOError(.fileExists, "'\(target)' exists. Pass --force to replace it.")
    }
    let beside = output + "/.\(UUID().uuidString)"
    do {
      try files.createDirectory(atPath: output, withIntermediateDirectories: true)
      defer { try? files.removeItem(atPath: beside) }
      try files.copyItem(atPath: source, toPath: beside)
      try FileSystem.move(beside, over: target)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unreadableFile, "'\(target)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}

/// The command `tensorio repository verify`.
struct RepositoryVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Fetch all that a channel gives, and check signature and every byte.")

  @Argument(help: "The model.")
  var model: RepositoryName

  @OptionGroup var keys: TrustedKeyArguments

  @OptionGroup var channel: ChannelArguments

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print what was found as JSON.")
  var json = false

  func run() throws {
    let verifier = try RepositoryVerifier(
      server: server.address, token: server.secret, trust: keys.trust())
    try BlockingTask.run { [self] in
      let report = try await verifier.verify(channel.channel, of: model)
      if json {
        try Console.printJSON(
          .object([
            "document_version": .integer(Int64(report.document.documentVersion)),
            "blobs": .integer(Int64(report.blobs)), "bytes": .integer(Int64(report.bytes)),
            "faults": .array(report.faults.map { .string($0) }),
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
}
