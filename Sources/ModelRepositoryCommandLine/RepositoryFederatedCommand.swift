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

/// The command `tensorio repository federated`.
struct RepositoryFederatedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "federated", abstract: "Train a model on data that stays where it is.",
    discussion: """
      In a round, each client trains the same version on its own data and sends how the weights \
      changed. The server averages these updates, and the average becomes a version like any other.

      Examples:
        tensorio repository token create phone-1 --scope train --data models-data
        tensorio repository federated create digits spring --base 1.0 --deadline 600 \\
          --minimum 8 --epochs 2 --batch-size 16 --placeholder rate=0.1 --clip 1
        tensorio repository federated join digits spring --key KEY --data mine.jsonl
        tensorio repository federated status digits spring
        tensorio repository federated finish digits spring --as 1.1 --dataset held-out.csv \\
          --require 'top1>=0.9' --keep top1=0.01
        tensorio repository rollout start digits 1.1 --percent 20

      The server sees each client's update.
      """,
    subcommands: [
      Create.self, Join.self, Status.self, End.self, RepositoryFederatedFinishCommand.self,
      Delete.self,
    ])

  /// The arguments that name a round.
  struct Target: ParsableArguments {
    @Argument(help: "The model.")
    var model: RepositoryName

    @Argument(help: "The round.")
    var round: RepositoryName
  }

  struct Create: WaitingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a round, whose task the server signs.")

    @OptionGroup var target: Target

    @Option(help: "The published version from which the clients start.")
    var base: RepositoryName

    @Option(help: ArgumentHelp("The time until the deadline.", valueName: "seconds"))
    var deadline: Int

    @Option(help: "The number of updates without which the round fails.")
    var minimum: Int

    @Option(help: "The number of clients that may enrol.")
    var maximum = 1000

    @Option(help: "The number of clients that may enrol with the same token.")
    var clientsPerToken = 1

    @Option(help: "How many times each client's model sees all of its items.")
    var epochs = 1

    @Option(help: "The number of items in a step.")
    var batchSize = 32

    @Option(
      parsing: .singleValue,
      help: ArgumentHelp(
        "The value of a placeholder, such as rate=0.01; may be repeated.", valueName: "name=value"))
    var placeholder: [String] = []

    @Option(help: ArgumentHelp("The largest L2 norm of an update.", valueName: "norm"))
    var clip: Double

    @Option(
      help: ArgumentHelp(
        "The deviation of the noise in the sum of the updates, as a multiple of --clip; 0 for none.",
        valueName: "multiple"))
    var noise = 0.0

    @Option(help: "The δ for which the server reports the ε of the noise.")
    var delta = 1e-5

    @Option(help: "The seed for the order of each client's items.")
    var seed = 0

    @Option(help: "The largest number of items that counts for one client.")
    var maximumExamples = 100_000

    @Option(
      parsing: .singleValue,
      help: ArgumentHelp(
        "A variable whose changes are sent, as the signature 'weights' names it; may be repeated "
          + "(default: all).", valueName: "name"))
    var weights: [String] = []

    @OptionGroup var server: RepositoryServerArguments

    @Flag(help: "Print the task as JSON.")
    var json = false

    func validate() throws {
      _ = try placeholders()
      guard minimum >= 1, maximum >= minimum else {
        throw ValidationError("--minimum takes a number from 1 to --maximum, got \(minimum).")
      }
      guard clip > 0 else { throw ValidationError("--clip takes a number above 0, got \(clip).") }
    }

    private func placeholders() throws -> [String: Double] {
      var values: [String: Double] = [:]
      for text in placeholder {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let value = Double(parts[1]) else {
          throw ValidationError("--placeholder takes NAME=NUMBER, got '\(text)'.")
        }
        values[parts[0]] = value
      }
      return values
    }

    func work() async throws {
      let plan = RoundTask.Plan(
        epochs: epochs, batchSize: batchSize, placeholders: try placeholders(), clipNorm: clip,
        noiseMultiplier: noise, delta: delta, seed: seed, minimumClients: minimum,
        maximumClients: maximum, clientsPerToken: clientsPerToken, maximumExamples: maximumExamples)
      let task = try await server.publisher().createRound(
        target.round, of: target.model, from: base, seconds: deadline, plan: plan,
        weights: weights.isEmpty ? nil : weights, loader: ModelLoader(backends: Backends.all))
      if json { return try Console.printJSON(task) }
      Console.printData(
        "\(task.model)  \(task.round)  from \(task.base.version) until \(task.deadline.text), "
          + "\(task.weights.count) weights")
    }
  }

  struct Status: WaitingCommand {
    static let configuration = CommandConfiguration(abstract: "Show the state of a round.")

    @OptionGroup var target: Target

    @OptionGroup var output: ServerOutputArguments

    func work() async throws {
      try RoundPrinter.show(
        try await output.server.publisher().roundStatus(target.round, of: target.model),
        json: output.json)
    }
  }

  struct End: WaitingCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a round before its deadline, with the updates that it has.")

    @OptionGroup var target: Target

    @OptionGroup var output: ServerOutputArguments

    func work() async throws {
      try RoundPrinter.show(
        try await output.server.publisher().endRound(target.round, of: target.model),
        json: output.json)
    }
  }

  struct Delete: WaitingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a round that has ended, with its average.")

    @OptionGroup var target: Target

    @OptionGroup var server: RepositoryServerArguments

    func work() async throws {
      try await server.publisher().deleteRound(target.round, of: target.model)
      Console.printData("deleted  \(target.model)  \(target.round)")
    }
  }

  struct Join: WaitingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Train the round's model on data of this machine, and send the update.",
      discussion: """
        The task must be signed by a key that you trust. Only the clipped change of the weights and \
        the number of items are sent.
        """)

    @OptionGroup var target: Target

    @Option(
      help: ArgumentHelp("A .jsonl file with an object per item.", valueName: "path"),
      completion: .file())
    var data: String

    @Option(help: ArgumentHelp("End the training within this time.", valueName: "seconds"))
    var timeLimit: Double?

    @Option(
      help: ArgumentHelp(
        "End the training before a step that could make the process grow by more than this.",
        valueName: "size"))
    var memoryLimit: MemoryLimit?

    @OptionGroup var trust: TrustedKeyArguments

    @OptionGroup var server: RepositoryServerArguments

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
      if let timeLimit, !(timeLimit > 0 && timeLimit <= 1e9) {
        throw ValidationError("--time-limit takes a number of seconds above 0, got \(timeLimit).")
      }
    }

    func work() async throws {
      var client = try FederatedClient(
        server: server.address, token: server.secret, trust: try trust.trust(),
        certificateAuthorities: server.certificateAuthorities)
      client.limits = TrainingLimits(
        time: timeLimit.map { .seconds($0) }, memory: memoryLimit?.bytes)
      let done = try await client.join(
        target.round, of: target.model, loader: ModelLoader(backends: Backends.all)
      ) { try TrainingFile.items(of: data, for: $0) }
      if json {
        return try Console.printJSON(
          Sent(
            digest: done.receipt.digest, examples: done.receipt.examples,
            steps: done.training.steps, ending: done.training.ending.rawValue, norm: done.norm))
      }
      Console.printData(
        "sent  \(done.receipt.examples) items, \(done.training.steps) steps "
          + "(\(done.training.ending.rawValue)), norm \(done.norm)")
    }

    private struct Sent: Encodable {
      var digest: BlobDigest
      var examples: Int
      var steps: Int
      var ending: String
      var norm: Double
    }
  }
}

/// Prints the state of a round.
enum RoundPrinter {
  static func show(_ status: RoundStatus, json: Bool) throws {
    if json { return try Console.printJSON(status) }
    Console.printData(
      "\(status.model)  \(status.round)  \(status.state.rawValue), from \(status.base), until "
        + status.deadline.text)
    Console.printData(
      "\(status.updates) of \(status.enrolled) clients sent updates, of \(status.examples) items")
    for (code, count) in status.refused.sorted(by: { $0.key < $1.key }) {
      Console.printData("refused: \(count) \(code)")
    }
    if let privacy = status.privacy {
      Console.printData("the noise gives ε = \(privacy.epsilon) for δ = \(privacy.delta)")
    }
    if let reason = status.reason { Console.printData(reason) }
  }
}
#endif
