// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO

/// Trains a model and shows the progress.
struct TrainingSession {
  /// The results of the steps and epochs, including those before a failure.
  private(set) var curve = LossCurve()
  /// Whether there is a best epoch, even if training failed later.
  private(set) var hasBest = false
  /// How the training ended; failed until it has ended otherwise.
  private(set) var outcome = TrainingOutcome.failed

  private let trainer: Trainer
  private var trackers: [any TrainingTracker]
  private let onFirstStep: () -> Void
  private var printer: EpochPrinter
  private var progress = ProgressBar(total: 1)

  /// Makes a session, which calls a closure after its first step.
  ///
  /// What is printed there doesn't hide an error of that step.
  init(
    _ trainer: Trainer, trackers: [any TrainingTracker], asJSON: Bool,
    onFirstStep: @escaping () -> Void
  ) {
    self.trainer = trainer
    self.onFirstStep = onFirstStep
    self.trackers = trackers
    printer = EpochPrinter(asJSON: asJSON, metric: trainer.options.monitoredMetric)
  }

  /// Trains until all epochs are done, the model stops improving, or a signal arrives.
  mutating func train() throws {
    defer { for index in trackers.indices { trackers[index].end(outcome) } }
    outcome = try trainEpochs()
  }

  private mutating func trainEpochs() throws -> TrainingOutcome {
    let interruption = Interruption(alsoWithoutReader: true)
    let epochs = trainer.options.epochs
    var results: [EpochResult] = []
    var completed = 0
    var last: TrainingStep?
    defer { progress.end() }
    let summary = try trainer.summary(
      until: { interruption.isRequested },
      wantsCheckpoint: { Interruption.takeCheckpointRequest() },
      onResume: { epochs, folder, changes in
        completed = epochs
        for change in changes { Console.printMessage("warning: " + change.warning) }
        Console.printMessage("continued after \(counted(epochs, "epoch")), from \(folder)")
      },
      onStep: { step in
        if last == nil { onFirstStep() }
        if step.step == 1 || last == nil { progress = ProgressBar(total: step.stepsPerEpoch) }
        progress.show(step.step, note: Self.note(step, of: epochs))
        curve.add(step)
        for index in trackers.indices { try trackers[index].add(step) }
        last = step
      },
      onEpoch: { result in
        progress.end()
        curve.add(result)
        hasBest = hasBest || result.isBest
        results.append(result)
        completed = result.epoch
        for index in trackers.indices { try trackers[index].add(result) }
        try printer.printEpoch(result)
      })
    progress.end()
    if let reason = Self.reason(summary.ending) {
      let steps = last.map {
        $0.epoch > completed ? ", \($0.step) of \($0.stepsPerEpoch) steps" : ""
      }
      Console.printMessage(
        "\(reason.start) \(completed) of \(epochs) epochs\(steps ?? "")\(reason.end)")
    }
    if trainer.options.keepsBest, let best = results.last(where: \.isBest) {
      Console.printMessage("the weights are those of the best epoch, \(best.epoch)")
    }
    return summary.ending == .cancelled ? .interrupted : .finished
  }

  /// Returns the beginning and the end of the message about a training that ended early.
  private static func reason(
    _ ending: TrainingSummary.Ending
  ) -> (start: String, end: String)? {
    switch ending {
    case .completed: nil
    case .noImprovement: ("ended after", ", because there was no improvement")
    case .timeLimit: ("ended after", ", at the time limit")
    case .memoryLimit: ("ended after", ", at the memory limit")
    case .stepLimit: ("ended after", ", at the limit of steps")
    case .cancelled: ("interrupted after", "")
    }
  }

  private static func note(_ step: TrainingStep, of epochs: Int) -> String {
    let loss = step.means.loss.map {
      "  \($0.name.printable.prefix(12)) \($0.value.shortText(digits: 4))"
    }
    return "  epoch \(step.epoch)/\(epochs)\(loss ?? "")  \(step.stepsPerSecond.fixed(1)) steps/s"
  }
}

extension ChangedSetting {
  /// What the change means for a training that continues.
  fileprivate var warning: String {
    guard !TrainingData.options.contains(name) else {
      return "the items of \(name) changed since the checkpoint was written"
    }
    return "\(name) was \((before ?? "not set").printable) when the checkpoint was written, and is "
      + "\((now ?? "not set").printable) now"
  }
}

/// Prints the results of epochs, as a table for users or as one JSON object a line.
struct EpochPrinter {
  let asJSON: Bool
  private var headings: [String] = []

  /// The metrics of the table; nil shows the first ones.
  private let metric: String?

  /// The most metrics of the table when none is monitored.
  ///
  /// JSON has all.
  private static let mostMetrics = 3

  init(asJSON: Bool, metric: String?) {
    self.asJSON = asJSON
    self.metric = metric
  }

  /// Returns the metrics that people see.
  static func shown(_ metrics: [EpochMetric], monitored: String?) -> [EpochMetric] {
    monitored.map { name in metrics.filter { $0.name == name } }
      ?? Array(metrics.prefix(mostMetrics))
  }

  mutating func printEpoch(_ result: EpochResult) throws {
    if asJSON { return try Console.printJSON(Self.json(result)) }
    let validation = result.validation.map(Array.init) ?? []
    let metrics = Self.shown(result.metrics, monitored: metric)
    if headings.isEmpty {
      let names =
        result.training.map(\.name) + validation.map { "validation " + $0.name }
        + metrics.map(\.name)
      headings = ["epoch"] + names.map(\.printable) + ["seconds"]
      Console.printData(Console.bold(line(headings)))
    }
    let numbers = (Array(result.training) + validation).map(\.value) + metrics.map(\.value)
    let values = numbers.map { $0.shortText(digits: 4) }
    let cells = ["\(result.epoch)"] + values + [(result.duration / .seconds(1)).fixed(2)]
    Console.printData(line(cells) + (result.isBest ? " *" : ""))
  }

  private func line(_ cells: [String]) -> String {
    zip(cells, headings).enumerated().map { index, cell in
      cell.0.padded(to: index == 0 ? 5 : max(cell.1.count, 8) + 2, onTheLeft: true)
    }.joined()
  }

  private static func json(_ result: EpochResult) -> JSONValue {
    func object(_ means: OutputMeans) -> JSONValue {
      .object(Dictionary(means.map { ($0.name, .number($0.value)) }) { first, _ in first })
    }
    return .object([
      "epoch": .number(Double(result.epoch)), "steps": .number(Double(result.steps)),
      "items": .number(Double(result.items)),
      "seconds": .number((result.duration.milliseconds / 1e3).significant),
      "training": object(result.training),
      "validation": result.validation.map(object) ?? .null,
      "metrics": .object(
        Dictionary(result.metrics.map { ($0.name, .number($0.value)) }) { first, _ in first }),
      "best": .bool(result.isBest),
    ])
  }
}

extension Double {
  /// Returns the number for users, with decimals or, if it is very small or large, with an
  /// exponent.
  func shortText(digits: Int) -> String {
    if self == 0 || (1e-2..<1e6).contains(magnitude) { return fixed(digits) }
    guard isFinite else { return "\(self)" }
    var (mantissa, exponent) = (self, 0)
    while mantissa.magnitude >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa.magnitude < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    let text = mantissa.fixed(max(digits - 1, 1))
    return "\(text)e\(exponent)"
  }
}
