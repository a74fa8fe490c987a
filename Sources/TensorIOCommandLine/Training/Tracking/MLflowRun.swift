// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ModelCommands
import ModelTools
import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A training as a run of MLflow.
///
/// Numbers are sent in the background, so a slow server doesn't slow down the training. While the server
/// can't be reached, they are kept and sent later.
final class MLflowRun: TrainingTracker, Sendable {
  /// The web page of the run.
  let page: String

  private let server: MLflowServer
  private let id: String
  private let pending = Mutex(Pending())
  private let queue = DispatchQueue(label: "tensorio.mlflow")

  private struct Pending {
    var metrics: [JSONValue] = []
    var lastSending = ContinuousClock.now
    var hasWarned = false
    var lost = 0
  }

  /// The most metrics of a request; the server takes no more.
  private static let mostPerRequest = 1000
  /// The most metrics that are kept while the server can't be reached.
  private static let mostPending = 200_000

  /// Begins a run, or goes on with one.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - experiment: The name of the experiment, which is made if it doesn't exist.
  ///   - name: The name of the run; nil lets the server choose one.
  ///   - parameters: The settings of the training.
  ///   - file: Keeps the run's identifier for a training that is continued; nil for none.
  ///   - continues: Whether to go on with the run in the file, if there is one.
  /// - Throws: `TensorIOError` when the server refuses the run or can't be reached.
  init(
    _ server: MLflowServer, experiment: String, name: String?,
    parameters: [(name: String, value: String)], keptIn file: String?, continues: Bool
  ) throws {
    self.server = server
    do {
      if let file, continues, FileSystem.isFile(file),
        case .object(let kept) = try JSONValue(parsing: FileSystem.read(file)),
        case .string(let id) = kept["run"], case .string(let experiment) = kept["experiment"],
        kept["server"] == .string(server.address)
      {
        self.id = id
        page = Self.page(of: id, experiment, server)
        _ = try server.call("runs/update", ["run_id": .string(id), "status": .string("RUNNING")])
        return
      }
      let experiment = try Self.experiment(experiment, server)
      var fields: [String: JSONValue] = [
        "experiment_id": .string(experiment), "start_time": Self.now,
        "tags": .array([
          Self.pair("mlflow.source.name", "tensorio train"),
          Self.pair("mlflow.source.type", "LOCAL"),
        ]),
      ]
      fields["run_name"] = name.map { .string($0) }
      let answer = try server.call("runs/create", fields)
      guard case .object(let run) = answer["run"], case .object(let info) = run["info"],
        case .string(let id) = info["run_id"]
      else { throw Self.unexpected("runs/create", server) }
      self.id = id
      page = Self.page(of: id, experiment, server)
      _ = try server.call(
        "runs/log-batch",
        [
          "run_id": .string(id),
          "params": .array(parameters.prefix(100).map { Self.pair($0.name, $0.value) }),
        ])
      if let file {
        let kept = JSONValue.object([
          "run": .string(id), "experiment": .string(experiment), "server": .string(server.address),
        ])
        try FileSystem.writing("'\(file)' can't be written") {
          try Data(try kept.text().utf8).write(to: URL(filePath: file))
        }
      }
    } catch let refusal as MLflowServer.Refusal {
      throw TensorIOError(
        .invalidOption,
        "The MLflow server at '\(server.address)' refuses the run: \(refusal.message)")
    }
  }

  private static func page(
    of id: String, _ experiment: String, _ server: MLflowServer
  ) -> String {
    "\(server.address)/#/experiments/\(experiment)/runs/\(id)"
  }

  /// Returns the identifier of an experiment, which is made if it doesn't exist.
  private static func experiment(_ name: String, _ server: MLflowServer) throws -> String {
    do {
      let made = try server.call("experiments/create", ["name": .string(name)])
      guard case .string(let id) = made["experiment_id"] else {
        throw unexpected("experiments/create", server)
      }
      return id
    } catch let refusal as MLflowServer.Refusal where refusal.code == "RESOURCE_ALREADY_EXISTS" {
      let quoted = name.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "\\'")
      let found = try server.call(
        "experiments/search", ["filter": .string("name = '\(quoted)'"), "max_results": .number(1)])
      guard case .array(let experiments) = found["experiments"],
        case .object(let experiment) = experiments.first,
        case .string(let id) = experiment["experiment_id"]
      else { throw refusal }
      return id
    }
  }

  private static func unexpected(_ function: String, _ server: MLflowServer) -> TensorIOError {
    TensorIOError(
      .unreadableFile,
      "'\(server.address)' isn't an MLflow server: its answer to \(function) lacks an identifier.")
  }

  private static var now: JSONValue {
    .integer(Int64(Date().timeIntervalSince1970 * 1000))
  }

  private static func pair(_ key: String, _ value: String) -> JSONValue {
    .object(["key": .string(key), "value": .string(String(value.prefix(6000)))])
  }

  // MARK: - Numbers

  func add(_ step: TrainingStep) {
    add(
      step.means.map { ("step/" + $0.name, $0.value) },
      at: (step.epoch - 1) * step.stepsPerEpoch + step.step)
  }

  func add(_ result: EpochResult) {
    let validation = result.validation.map(Array.init) ?? []
    add(
      result.training.map { ($0.name, $0.value) }
        + validation.map { ("validation_" + $0.name, $0.value) }
        + result.metrics.map { ($0.name, $0.value) }, at: result.epoch)
  }

  private func add(_ numbers: [(name: String, value: Double)], at step: Int) {
    // The server's interface has no form for numbers that are not finite.
    let metrics = numbers.filter(\.value.isFinite).map { number in
      JSONValue.object([
        "key": .string(Self.key(number.name)), "value": .number(number.value),
        "timestamp": Self.now, "step": .integer(Int64(step)),
      ])
    }
    let isDue = pending.withLock { pending in
      let room = max(0, Self.mostPending - pending.metrics.count)
      pending.lost += max(0, metrics.count - room)
      pending.metrics += metrics.prefix(room)
      let now = ContinuousClock.now
      guard pending.lastSending.duration(to: now) > .seconds(2) else { return false }
      pending.lastSending = now
      return true
    }
    if isDue { queue.async { self.send() } }
  }

  /// Returns the name with the characters that the server takes.
  private static func key(_ name: String) -> String {
    String(
      name.map { character in
        character.isASCII && (character.isLetter || character.isNumber)
          || "_-. :/".contains(character) ? character : "_"
      }.prefix(250))
  }

  /// Sends what is there; keeps what can't be sent.
  private func send() {
    while true {
      let batch = pending.withLock { Array($0.metrics.prefix(Self.mostPerRequest)) }
      guard !batch.isEmpty else { return }
      do {
        _ = try server.call("runs/log-batch", ["run_id": .string(id), "metrics": .array(batch)])
        pending.withLock { $0.metrics.removeFirst(batch.count) }
      } catch {
        let isFirst = pending.withLock { pending in
          defer { pending.hasWarned = true }
          return !pending.hasWarned
        }
        if isFirst {
          Console.printMessage(
            "warning: numbers are kept until MLflow takes them: \(Self.message(of: error))")
        }
        return
      }
    }
  }

  /// Sends the rest, and says what couldn't be sent.
  func end(_ outcome: TrainingOutcome) {
    queue.sync {
      send()
      let status =
        switch outcome {
        case .finished: "FINISHED"
        case .interrupted: "KILLED"
        case .failed: "FAILED"
        }
      let result = Result {
        try server.call(
          "runs/update",
          ["run_id": .string(id), "status": .string(status), "end_time": Self.now])
      }
      let left = pending.withLock { $0.metrics.count + $0.lost }
      if left > 0 {
        Console.printMessage("warning: MLflow didn't get \(counted(left, "number")) of the run.")
      } else if case .failure(let error) = result {
        Console.printMessage(
          "warning: MLflow doesn't know that the run ended: \(Self.message(of: error))")
      }
    }
  }

  private static func message(of error: any Error) -> String {
    switch error {
    case let refusal as MLflowServer.Refusal: refusal.message
    case let error as TensorIOError: error.message
    default: "\(error)"
    }
  }
}
