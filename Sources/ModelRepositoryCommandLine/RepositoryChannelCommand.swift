// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelTools
import TensorIO

/// The command `tensorio repository channel`.
struct RepositoryChannelCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel", abstract: "Show or change a channel.",
    discussion: """
      Without options that change something, the channel is shown. --set gives a version to all \
      installations outside a rollout.
      """)

  @Argument(help: "The model.")
  var model: RepositoryName

  @Argument(help: "The channel.")
  var channel = RepositoryName.stable

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "The version for all installations outside a rollout.", valueName: "version"))
  var version: RepositoryName?

  @Flag(help: "Stop serving any version.")
  var clear = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A remote parameter; an empty value removes it. May be repeated.", valueName: "name=value"
    ))
  var parameter: [String] = []

  @Option(
    help: ArgumentHelp(
      "The oldest safe version; clients delete older ones.", valueName: "version"))
  var minimumSafe: RepositoryName?

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print the channel's document as JSON.")
  var json = false

  private var setsSomething: Bool {
    version != nil || clear || !parameter.isEmpty || minimumSafe != nil
  }

  func validate() throws {
    guard version == nil || !clear else {
      throw ValidationError("Pass either --set or --clear, not both.")
    }
    guard parameter.allSatisfy({ $0.first != "=" && $0.contains("=") }) else {
      throw ValidationError("--parameter takes NAME=VALUE.")
    }
  }

  func work() async throws {
    let publisher = try server.publisher()
    let state: ModelRepositoryPublisher.Channel
    if setsSomething {
      let sequence = try await minimumSafeSequence(publisher)
      state = try await publisher.changeChannel(channel, of: model) { content in
        if let version { content.version = version }
        if clear {
          content.version = nil
          content.experiment = nil
        }
        if let sequence { content.minimumSafeSequence = sequence }
        for parameter in parameter {
          let parts = parameter.split(separator: "=", maxSplits: 1).map(String.init)
          content.parameters = content.parameters ?? [:]
          content.parameters?[parts[0]] = parts.count == 2 ? parts[1] : nil
        }
      }
    } else {
      guard let found = try await publisher.channel(channel, of: model) else {
        throw TensorIOError(.fileNotFound, "'\(model)' has no channel '\(channel)'.")
      }
      state = found
    }
    try ChannelPrinter.show(state.document, json: json)
  }

  private func minimumSafeSequence(_ publisher: ModelRepositoryPublisher) async throws -> Int? {
    guard let minimumSafe else { return nil }
    let versions = try await publisher.versions(of: model)
    guard let record = versions.first(where: { $0.version == minimumSafe }) else {
      throw TensorIOError(.fileNotFound, "'\(model)' has no version '\(minimumSafe)'.")
    }
    return record.sequence
  }
}

/// Prints a channel's document.
enum ChannelPrinter {
  static func show(_ document: ChannelDocument, json: Bool) throws {
    if json { return try Console.printJSON(document) }
    Console.printData(
      "\(document.model), \(document.channel), document \(document.documentVersion), valid until "
        + document.expires.text)
    Console.printData("version: \(document.release.map { "\($0.version)" } ?? "none")")
    show(document.parameters, indentation: "")
    if document.minimumSafeSequence > 0 {
      Console.printData("oldest safe version number: \(document.minimumSafeSequence)")
    }
    guard let experiment = document.experiment else { return }
    Console.printData(experiment.isPaused ? "paused:" : "rollout or variants:")
    var below = 0
    for arm in experiment.arms {
      let share = Double(arm.threshold - below) / 100
      Console.printData("  \(share.fixed(2))% \(arm.name): \(arm.release.version)")
      show(arm.parameters, indentation: "    ")
      below = arm.threshold
    }
  }

  private static func show(_ parameters: [String: String], indentation: String) {
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      Console.printData("\(indentation)\(name.printable) = \(value.printable)")
    }
  }
}

/// The command `tensorio repository rollback`.
struct RepositoryRollbackCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Undo the last change of a channel.",
    discussion: """
      The channel's document gets a new version number, so that clients accept it. After 'rollout \
      promote', all installations get the version that they had before the rollout. Changes to \
      versions that were withdrawn are passed over.
      """)

  @OptionGroup var target: RepositoryRolloutCommand.Target

  func work() async throws {
    let options = target.options
    let state = try await options.server.publisher().rollBack(
      options.channel.channel, of: target.model)
    try ChannelPrinter.show(state.document, json: options.json)
  }
}
#endif
