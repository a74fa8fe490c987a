// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ModelRepositoryAPI
import ModelRepositoryClient
import TensorIO

/// The command `tensorio repository rollout`.
struct RepositoryRolloutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollout",
    abstract: "Give a version to a share of all installations, and to more.",
    subcommands: [Start.self, Ramp.self, Pause.self, Resume.self, Promote.self, Abort.self])

  /// What the one arm of a rollout is called.
  private static let arm = RepositoryName.rollout

  /// Changes a channel that has a rollout.
  private static func change(
    _ model: RepositoryName, _ options: Options,
    _ change:
      @escaping @Sendable (inout ChannelContent, inout ChannelContent.Experiment) throws ->
      Void
  ) throws {
    try BlockingTask.run {
      let publisher = try options.server.publisher()
      let state = try await publisher.changeChannel(options.channel.channel, of: model) { content in
        guard var experiment = content.experiment, experiment.arms.map(\.name) == [arm] else {
          throw TensorIOError(
            .invalidOption,
            "Channel '\(options.channel.channel)' of '\(model)' has no rollout; begin one with "
              + "'rollout start'.")
        }
        content.experiment = nil
        try change(&content, &experiment)
      }
      try ChannelPrinter.show(state.document, json: options.json)
    }
  }

  /// What all of them take.
  struct Options: ParsableArguments {
    @OptionGroup var channel: ChannelArguments

    @OptionGroup var server: RepositoryServerArguments

    @Flag(help: "Print the channel's document as JSON.")
    var json = false
  }

  /// How many installations of a hundred.
  struct Share: ParsableArguments {
    @Option(help: "How many installations of a hundred get it: 0 to 100, to two decimals.")
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
      abstract: "Begin a rollout.",
      discussion: "Which installations get it is drawn anew; a ramp then keeps those who have it.")

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
              "Channel '\(options.channel.channel)' of '\(model)' has a rollout or variants; end them "
                + "with 'rollout promote' or 'rollout abort'.")
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

  struct Ramp: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give it to more, or to fewer.",
      discussion:
        "Who has it keeps it when the share grows. A paused rollout must be resumed first.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var share: Share

    @OptionGroup var options: Options

    func run() throws {
      let threshold = share.threshold
      try RepositoryRolloutCommand.change(model, options) { content, experiment in
        guard experiment.isPaused != true else {
          throw TensorIOError(.invalidOption, "The rollout is paused; resume it first.")
        }
        experiment.arms[0].threshold = threshold
        content.experiment = experiment
      }
    }
  }

  struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let nobody join; who has it keeps it.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func run() throws {
      try RepositoryRolloutCommand.change(model, options) { content, experiment in
        experiment.isPaused = true
        content.experiment = experiment
      }
    }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let installations join again.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func run() throws {
      try RepositoryRolloutCommand.change(model, options) { content, experiment in
        experiment.isPaused = false
        content.experiment = experiment
      }
    }
  }

  struct Promote: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give it to all: the rollout is over.")

    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: Options

    func run() throws {
      try RepositoryRolloutCommand.change(model, options) { content, experiment in
        content.version = experiment.arms[0].version
      }
    }
  }

  struct Abort: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give all what they had before: the rollout, or the variants, are over.")

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
  /// What the one arm of a rollout is called.
  fileprivate static let rollout: RepositoryName = {
    guard let name = RepositoryName("rollout") else { preconditionFailure("a name") }
    return name
  }()
}

/// The command `tensorio repository variants`.
struct RepositoryVariantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "variants",
    abstract: "Give different installations different versions or parameters.",
    discussion: """
      Example: tensorio repository variants pets --arm a=1.0:50 --arm b=2.0:50 \
      --parameter b.threshold=0.4

      Who is in no arm gets the channel's version. 'rollout abort' ends it.
      """)

  @Argument(help: "The model.")
  var model: RepositoryName

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A variant, its version, and its share of a hundred; repeated.",
      valueName: "name=version:percent"))
  var arm: [String]

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A remote parameter of a variant; may be repeated.", valueName: "name.key=value"))
  var parameter: [String] = []

  @OptionGroup var options: RepositoryRolloutCommand.Options

  func run() throws {
    let arms = try arms()
    let salt = UUID().uuidString.lowercased()
    try BlockingTask.run { [self] in
      let publisher = try options.server.publisher()
      let state = try await publisher.changeChannel(options.channel.channel, of: model) {
        $0.experiment = ChannelContent.Experiment(salt: salt, arms: arms)
      }
      try ChannelPrinter.show(state.document, json: options.json)
    }
  }

  private func arms() throws -> [ChannelContent.Arm] {
    var arms: [ChannelContent.Arm] = []
    var threshold = 0.0
    for text in arm {
      let parts = text.split(separator: "=", maxSplits: 1)
      let values = parts.last?.split(separator: ":") ?? []
      guard parts.count == 2, values.count == 2, let name = RepositoryName(String(parts[0])),
        let version = RepositoryName(String(values[0])), let percent = Double(values[1]),
        (0...100).contains(percent)
      else {
        throw ValidationError("--arm takes NAME=VERSION:PERCENT, not '\(text)'.")
      }
      threshold += percent * 100
      arms.append(
        ChannelContent.Arm(
          name: name, threshold: Int(threshold.rounded()), version: version, parameters: [:]))
    }
    guard threshold.rounded() <= 10_000 else {
      throw ValidationError("The arms' shares are more than 100 together.")
    }
    for text in parameter {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      let names = (parts.first ?? "").split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2, names.count == 2,
        let place = arms.firstIndex(where: { $0.name.text == names[0] })
      else {
        throw ValidationError(
          "--parameter takes NAME.KEY=VALUE with the name of an --arm, not '\(text)'.")
      }
      arms[place].parameters?[names[1]] = parts[1]
    }
    return arms
  }
}
