// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import Synchronization
import TensorIOCommandLine

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

  @Option(name: .long, help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print the version as JSON.")
  var json = false

  func run() throws {
    try PublishedModel(path: path).check(by: memoryLimit, triesModel: !noCheck)
    try BlockingTask.run { [self] in
      let publisher = try server.publisher()
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
#endif
