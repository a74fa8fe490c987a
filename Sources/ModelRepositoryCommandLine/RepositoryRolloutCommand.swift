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
      discussion:
        "Each start selects installations at random. They keep the version when the share grows.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @Argument(help: "The new version.")
    var version: RepositoryName

    @OptionGroup var share: Share

    @OptionGroup var options: ChannelChangeArguments

    func run() throws {
      let salt = UUID().uuidString.lowercased()
      try options.changeChannel(of: model) { [self] content in
        guard content.experiment == nil else {
          throw TensorIOError(
            .invalidOption,
            "Channel '\(options.channel.channel)' of '\(model)' already has a rollout or "
              + "variants. End them with 'rollout promote' or 'rollout abort'.")
        }
        content.experiment = ChannelContent.Experiment(
          salt: salt,
          arms: [
            ChannelContent.Arm(name: .rollout, threshold: share.threshold, version: version)
          ])
      }
    }
  }

  struct Ramp: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the version to more or fewer installations.",
      discussion:
        "Installations that have it keep it when the share grows. Resume a paused rollout first.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var share: Share

    @OptionGroup var options: ChannelChangeArguments

    func run() throws {
      let threshold = share.threshold
      try options.changeRollout(of: model) { rollout, content in
        guard rollout.isPaused != true else {
          throw TensorIOError(
            .invalidOption, "The rollout is paused. Resume it first with 'rollout resume'.")
        }
        content.experiment?.arms[0].threshold = threshold
      }
    }
  }

  struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Pause: no installation joins, and those that have the version keep it.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: ChannelChangeArguments

    func run() throws {
      try options.changeRollout(of: model) { _, content in content.experiment?.isPaused = true }
    }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Resume a paused rollout.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: ChannelChangeArguments

    func run() throws {
      try options.changeRollout(of: model) { _, content in content.experiment?.isPaused = false }
    }
  }

  struct Promote: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the version to all installations, and end the rollout.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: ChannelChangeArguments

    func run() throws {
      try options.changeRollout(of: model) { rollout, content in
        content.version = rollout.arms[0].version
        content.experiment = nil
      }
    }
  }

  struct Abort: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the rollout or the variants, and go back to the channel's version.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: ChannelChangeArguments

    func run() throws {
      try options.changeChannel(of: model) { $0.experiment = nil }
    }
  }
}
#endif
