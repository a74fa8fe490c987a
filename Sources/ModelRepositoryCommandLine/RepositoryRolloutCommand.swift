// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelRepositoryAPI
import TensorIO

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

  /// The arguments of the subcommands that take no others.
  struct Target: ParsableArguments {
    @Argument(help: "The model.")
    var model: RepositoryName

    @OptionGroup var options: ChannelChangeArguments
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
      try options.changeRollout(of: model) { content in
        guard content.experiment?.isPaused != true else {
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

    @OptionGroup var target: Target

    func run() throws {
      try target.options.changeRollout(of: target.model) { $0.experiment?.isPaused = true }
    }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Resume a paused rollout.")

    @OptionGroup var target: Target

    func run() throws {
      try target.options.changeRollout(of: target.model) { $0.experiment?.isPaused = false }
    }
  }

  struct Promote: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the version to all installations, and end the rollout.")

    @OptionGroup var target: Target

    func run() throws {
      try target.options.changeRollout(of: target.model) { content in
        content.version = content.experiment?.arms[0].version
        content.experiment = nil
      }
    }
  }

  struct Abort: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the rollout or the variants, and go back to the channel's version.")

    @OptionGroup var target: Target

    func run() throws {
      try target.options.changeChannel(of: target.model) { $0.experiment = nil }
    }
  }
}

/// The command `tensorio repository variants`.
struct RepositoryVariantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "variants",
    abstract: "Give different installations different versions or parameters.",
    discussion: """
      Example: tensorio repository variants pets --arm a=1.0:50 --arm b=2.0:50 \
      --parameter b.threshold=0.4

      Installations outside the variants get the channel's version. 'rollout abort' ends the \
      variants.
      """)

  @Argument(help: "The model.")
  var model: RepositoryName

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A variant, its version and its percentage of installations; repeat for each variant.",
      valueName: "name=version:percent"))
  var arm: [String]

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A remote parameter of a variant; may be repeated.", valueName: "name.key=value"))
  var parameter: [String] = []

  @OptionGroup var options: ChannelChangeArguments

  func run() throws {
    let arms = try arms()
    let salt = UUID().uuidString.lowercased()
    try options.changeChannel(of: model) {
      $0.experiment = ChannelContent.Experiment(salt: salt, arms: arms)
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
        throw ValidationError("--arm takes NAME=VERSION:PERCENT, got '\(text)'.")
      }
      threshold += percent * 100
      arms.append(
        ChannelContent.Arm(
          name: name, threshold: Int(threshold.rounded()), version: version, parameters: [:]))
    }
    guard threshold.rounded() <= 10_000 else {
      throw ValidationError("The percentages of all --arm options add up to more than 100.")
    }
    for text in parameter {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      // An arm's name may contain periods, such as 'v1.0', so the longest matching name is used.
      let index = arms.indices.filter { (parts.first ?? "").hasPrefix("\(arms[$0].name).") }
        .max { arms[$0].name.text.count < arms[$1].name.text.count }
      let key = index.map { (parts.first ?? "").dropFirst(arms[$0].name.text.count + 1) } ?? ""
      guard parts.count == 2, let index, !key.isEmpty else {
        throw ValidationError(
          "--parameter takes NAME.KEY=VALUE with the name of an --arm, got '\(text)'.")
      }
      arms[index].parameters?[String(key)] = parts[1]
    }
    return arms
  }
}
#endif
