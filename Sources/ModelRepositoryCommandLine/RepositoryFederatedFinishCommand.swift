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
import NetRunner
import Synchronization
import TensorIO
import TensorIOCommandLine

/// The command `tensorio repository federated finish`.
struct RepositoryFederatedFinishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finish",
    abstract: "Evaluate the candidate of a round, and publish it if it is good enough.",
    discussion: """
      The candidate is the base version with the average added. It is evaluated on --dataset beside \
      the base version, and published as --as only if every --require and --keep is met. A rollout \
      then gives it to clients, as any other version. The exit code is 1 if a gate isn't met.
      """)

  @OptionGroup var target: RepositoryFederatedCommand.Target

  @Option(
    help: ArgumentHelp("What both versions are evaluated on.", valueName: "dataset"),
    completion: .file())
  var dataset: String

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A number that the candidate must reach, such as top1>=0.9; may be repeated.",
      valueName: "name>=number"))
  var require: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A number that may be worse than the base version's by at most this much, such as top1=0.01; "
        + "may be repeated.", valueName: "name=number"))
  var keep: [String] = []

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("The name of the version to publish.", valueName: "version"))
  var version: RepositoryName

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard !(require.isEmpty && keep.isEmpty) else {
      throw ValidationError("Pass a gate: --require NAME>=NUMBER or --keep NAME=NUMBER.")
    }
    do {
      _ = try require.map { try Gate(parsing: $0) }
      for text in keep {
        let gate = try Gate(parsing: text)
        guard gate.relation == .atLeastAsGood, gate.bound >= 0 else {
          throw ValidationError("--keep takes NAME=NUMBER with a number from 0, got '\(text)'.")
        }
      }
    } catch let error as TensorIOError {
      throw ValidationError(error.message)
    }
  }

  func run() throws {
    let outcome = Outcome()
    try BlockingTask.run { [self] in try await work(outcome) }
    if !outcome.isMet.withLock({ $0 }) { throw ExitCode(1) }
  }

  /// Whether the candidate meets every gate.
  private final class Outcome: Sendable {
    let isMet = Mutex(true)
  }

  private func work(_ outcome: Outcome) async throws {
    let publisher = try server.publisher()
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tensorio-round-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Failing to delete a temporary folder is harmless.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let paths = try await publisher.candidate(
      of: target.round, of: target.model, in: folder, loader: ModelLoader(backends: Backends.all))
    let results = try evaluate([paths.base, paths.candidate])
    let gates = try gates(base: results[0], candidate: results[1])
    let isMet = gates.allSatisfy(\.isMet)
    outcome.isMet.withLock { $0 = isMet }
    for gate in gates where !json { Console.printMessage(gate.message) }
    var record: VersionRecord?
    if isMet {
      record = try await publisher.publish(
        paths.candidate, as: target.model, version: version,
        details: "The average of the federated round '\(target.round)'.")
    }
    if json { return try Console.printJSON(Finished(gates: gates, version: record)) }
    if let record {
      Console.printData(
        "published  \(target.model)  \(record.version)  sequence \(record.sequence)")
    } else {
      Console.printMessage("nothing was published, because a gate isn't met")
    }
  }

  private struct Finished: Encodable {
    var gates: [GateResult]
    var version: VersionRecord?
  }

  private func evaluate(_ paths: [String]) throws -> [ModelResult] {
    try paths.map { path in
      let run = try EvaluationRun(
        try Dataset(contentsOf: dataset), options: EvaluationOptions())
      let report = try run.evaluate(
        [ModelBundle(path)], with: Backends.all, by: ToolRecord(version: Version.current))
      guard let result = report.models.first else {
        throw TensorIOError(.invalidOption, "'\(dataset)' has nothing to evaluate '\(path)' on.")
      }
      guard result.images == 0 || result.failed < result.images else {
        throw TensorIOError(
          .invalidOption,
          "Every sample of '\(dataset)' failed, so nothing is known about the candidate. To see why, "
            + "run 'tensorio evaluate' with the base version. Rows need a value for every input in "
            + "model.json.")
      }
      return result
    }
  }

  private func gates(base: ModelResult, candidate: ModelResult) throws -> [GateResult] {
    let fixed = try require.map { try Gate(parsing: $0).check(candidate) }
    let relative = try keep.map { text in
      var gate = try Gate(parsing: text)
      let allowance = gate.bound
      gate.bound = 0
      guard let value = try gate.check(base).value else {
        return try gate.check(base)
      }
      // A number that is 1 too low is worse only if higher is better.
      gate.bound = value + 1
      let isHigherBetter = try !gate.check(base).isMet
      gate.relation = isHigherBetter ? .atLeast : .atMost
      // 0.7 + 0.1 is a little less than 0.8 in binary, and a candidate with 0.8 would fail.
      let bound = isHigherBetter ? value - allowance : value + allowance
      gate.bound = (bound * 1e12).rounded() / 1e12
      return try gate.check(candidate)
    }
    return fixed + relative
  }
}
#endif
