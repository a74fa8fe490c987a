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
import TensorIO
import TensorIOCommandLine

/// The command `tensorio repository rollout`.
struct RepositoryRolloutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollout",
    abstract: "Give a version to a growing share of installations.",
    subcommands: [Start.self, Ramp.self, Pause.self, Resume.self, Promote.self, Abort.self])

  /// The name of a rollout's only arm.
  private static let arm = RepositoryName.rollout

  /// The options that all subcommands have.
  struct Options: ParsableArguments {
    @OptionGroup var channel: ChannelArguments

    @OptionGroup var server: RepositoryServerArguments

    @Flag(help: "Print the channel's document as JSON.")
    var json = false
  }

  /// The option for the percentage of installations.
  struct Share: ParsableArguments {
    @Option(help: "The percentage of installations that get it: 0 to 100, up to two decimals.")
    var percent: Double

    var threshold: Int { Int((percent * 100).rounded()) }

    func validate() throws {
      guard (0...100).contains(percent) else {
        throw ValidationError("--percent takes a number from 0 to 100.")
      }
    }
  }

  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start a rollout.",
      discussion: "Each start selects installations at random. A ramp keeps those that have it.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @Argument(help: "The new version.")
    var version: RepositoryName

    @OptionGroup var share: Share

    @OptionGroup var options: Options

    func run() throws {
      try BlockingTask.run { [self] in
        let publisher = try options.server.publisher()
        let salt = UUID().uuidString.lowercased()
        let state = try await publisher.changeChannel(options.channel.channel, of: model) {
          content in
          guard content.experiment == nil else {
            throw TensorIOError(
              .invalidOption,
              "Channel '\(options.channel.channel)' of '\(model)' already has a rollout or "
                + "variants. End them with 'rollout promote' or 'rollout abort'.")
          }
          content.experiment = ChannelContent.Experiment(
            salt: salt,
            arms: [
              ChannelContent.Arm(name: arm, threshold: share.threshold, version: version)
            ])
        }
        try ChannelPrinter.show(state.document, json: options.json)
      }
    }
  }

  struct Ramp: RolloutChange {
    static let configuration = CommandConfiguration(
      abstract: "Give the version to more or fewer installations.",
      discussion:
        "Installations that have it keep it when the share grows. Resume a paused rollout first.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var share: Share

    @OptionGroup var options: Options

    func change(
      _ rollout: ChannelContent.Experiment, of content: inout ChannelContent
    ) throws {
      guard rollout.isPaused != true else {
        throw TensorIOError(
          .invalidOption, "The rollout is paused. Resume it first with 'rollout resume'.")
      }
      content.experiment?.arms[0].threshold = share.threshold
    }
  }

  struct Pause: RolloutChange {
    static let configuration = CommandConfiguration(
      abstract: "Pause: no installation joins, and those that have the version keep it.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func change(_ rollout: ChannelContent.Experiment, of content: inout ChannelContent) {
      content.experiment?.isPaused = true
    }
  }

  struct Resume: RolloutChange {
    static let configuration = CommandConfiguration(abstract: "Resume a paused rollout.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func change(_ rollout: ChannelContent.Experiment, of content: inout ChannelContent) {
      content.experiment?.isPaused = false
    }
  }

  struct Promote: RolloutChange {
    static let configuration = CommandConfiguration(
      abstract: "Give the version to all installations, and end the rollout.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func change(_ rollout: ChannelContent.Experiment, of content: inout ChannelContent) {
      content.version = rollout.arms[0].version
      content.experiment = nil
    }
  }

  struct Abort: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the rollout or the variants, and go back to the channel's version.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func run() throws {
      try BlockingTask.run { [self] in
        let publisher = try options.server.publisher()
        let state = try await publisher.changeChannel(options.channel.channel, of: model) {
          $0.experiment = nil
        }
        try ChannelPrinter.show(state.document, json: options.json)
      }
    }
  }
}

extension RepositoryName {
  /// The name of a rollout's only arm.
  fileprivate static let rollout: RepositoryName = {
    guard let name = RepositoryName("rollout") else { preconditionFailure("a name") }
    return name
  }()
}

/// A command that changes a rollout.
private protocol RolloutChange: ParsableCommand, Sendable {
  var model: RepositoryName { get }
  var options: RepositoryRolloutCommand.Options { get }

  /// Changes a channel's content.
  ///
  /// - Parameters:
  ///   - rollout: The content's rollout, which has one arm.
  ///   - content: The channel's content, which is changed.
  /// - Throws: An error if the change isn't possible now.
  func change(_ rollout: ChannelContent.Experiment, of content: inout ChannelContent) throws
}

extension RolloutChange {
  func run() throws {
    let channel = options.channel.channel
    try BlockingTask.run { [self] in
      let state = try await options.server.publisher().changeChannel(channel, of: model) {
        guard let rollout = $0.experiment, rollout.arms.map(\.name) == [.rollout] else {
          throw TensorIOError(
            .invalidOption,
            "Channel '\(channel)' of '\(model)' has no rollout. Start one with 'rollout start'.")
        }
        try change(rollout, of: &$0)
      }
      try ChannelPrinter.show(state.document, json: options.json)
    }
  }
}
#endif
