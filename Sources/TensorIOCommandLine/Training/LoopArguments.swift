// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import TensorIO

/// The options of `train` that are about its loop: checkpoints, schedules and the best epoch.
struct LoopArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write a checkpoint into this folder after each epoch, and when SIGUSR1 or Ctrl-C comes. The "
        + "folder is made if it doesn't exist.", valueName: "folder"),
    completion: .directory)
  var checkpoints: String?

  @Flag(
    help: """
      Continue from the last checkpoint in --checkpoints, if there is one, with the same data and \
      options. The numbers of the epochs go on.
      """)
  var resume = false

  @Option(help: "The number of checkpoints to keep, beside that of the best epoch.")
  var keepCheckpoints = 2

  @Option(
    help: ArgumentHelp(
      "Change a placeholder from step to step: constant:VALUE, step:VALUE,every=STEPS,factor=0.5 or "
        + "cosine:VALUE,lowest=SHARE, each with ,warmup=STEPS; may be repeated.",
      valueName: "name=schedule"))
  var schedule: [NamedArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      The output that decides which epoch is the best (default: the loss, or the first number), or a metric of \
      --evaluate, such as top1.
      """, valueName: "name"))
  var monitor: String?

  @Flag(
    help:
      "A higher value of --monitor is better, as with accuracy. It is known for metrics of --evaluate."
  )
  var higherIsBetter = false

  @Option(
    help: ArgumentHelp(
      "Measure the exported model on this dataset after each epoch, as 'tensorio evaluate' does.",
      valueName: "dataset"), completion: .file())
  var evaluate: String?

  @Option(
    help: ArgumentHelp(
      "End the training within this time, with the weights so far, or with the best ones with "
        + "--keep-best.", valueName: "seconds"))
  var timeLimit: Double?

  @Option(
    help: ArgumentHelp(
      "End the training before a step that could make the process grow by more than this, such as "
        + "64MiB; from 1MiB.", valueName: "size"))
  var memoryLimit: MemoryLimit?

  @Option(help: ArgumentHelp("End the training after this number of steps.", valueName: "steps"))
  var stepLimit: Int?

  func validate() throws {
    if let timeLimit {
      try checkUsage(
        timeLimit > 0 && timeLimit <= 1e9,
        "--time-limit takes a number of seconds above 0, got \(timeLimit).")
    }
    if let stepLimit {
      try checkUsage(stepLimit >= 1, "--step-limit takes a positive number, got \(stepLimit).")
    }
    try checkUsage(
      keepCheckpoints >= 1, "--keep-checkpoints takes a positive number, got \(keepCheckpoints).")
    try checkUsage(!resume || checkpoints != nil, "--resume needs --checkpoints FOLDER.")
    try checkUsage(
      !higherIsBetter || monitor != nil,
      "--higher-is-better needs --monitor NAME, because a lower loss is better.")
    var names: Set<String> = []
    for argument in schedule {
      _ = try Self.schedule(argument.value)
      try checkUsage(
        names.insert(argument.name).inserted,
        "--schedule names '\(argument.name)' twice. Leave one out.")
    }
  }

  /// Whether a schedule depends on the number of epochs.
  var dependsOnEpochs: Bool { schedule.contains { $0.value.hasPrefix("cosine:") } }

  /// Adds the options to those of a trainer.
  func apply(to options: inout TrainingOptions, _ signature: ModelSignature) throws {
    options.checkpoints = checkpoints.map {
      CheckpointOptions(folder: $0, kept: keepCheckpoints, resumes: resume)
    }
    options.limits = TrainingLimits(
      time: timeLimit.map { .seconds($0) }, memory: memoryLimit?.bytes, steps: stepLimit)
    options.monitoredOutput = monitor
    options.prefersHigher = higherIsBetter
    for argument in schedule {
      guard signature.placeholder(named: argument.name) != nil else {
        let names = signature.placeholders.map(\.name)
        throw TensorIOError(
          .unknownInput,
          "--schedule names '\(argument.name)', but the model's placeholders are "
            + (names.isEmpty ? "none." : quotedList(names) + "."))
      }
      options.schedules[argument.name] = try Self.schedule(argument.value)
    }
  }

  /// Adds the evaluation of the exported model, and measures the model as it is, so that a dataset that
  /// doesn't suit it is found before the training.
  ///
  /// - Returns: The metrics before the training; empty without an evaluation.
  /// - Throws: `TensorIOError` when the dataset doesn't suit the model, or the exit code of an interruption.
  func addEvaluation(
    to options: inout TrainingOptions, of model: TrainableModel, outputs: [String],
    classes: [String]
  ) throws -> [EpochMetric] {
    guard let evaluate else { return [] }
    let interruption = Interruption(alsoWithoutReader: true)
    let evaluation = try ExportEvaluation(
      evaluate, outputs: outputs.isEmpty ? nil : outputs, classes: classes
    ) { interruption.isRequested }
    let clock = ContinuousClock()
    let start = clock.now
    let metrics: [EpochMetric]
    do {
      metrics = try evaluation.measure(model)
    } catch is CancellationError {
      Console.printMessage("interrupted before the training")
      throw Interruption.exitCode
    }
    options.measurementTime = clock.now - start
    options.measurement = { try evaluation.measure($0) }
    guard let monitor, metrics.contains(where: { $0.name == monitor }) else { return metrics }
    options.monitoredOutput = nil
    options.monitoredMetric = monitor
    options.prefersHigher = evaluation.prefersHigher(monitor)
    return metrics
  }

  /// Reads `cosine:0.01,warmup=100`.
  private static func schedule(_ text: String) throws -> ValueSchedule {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let head = (parts.first ?? "").split(separator: ":", maxSplits: 1)
    guard head.count == 2, let base = Double(head[1]) else {
      throw ValidationError(
        "--schedule takes NAME=KIND:VALUE, such as learning_rate=cosine:0.01,warmup=100; got '\(text)'."
      )
    }
    var numbers: [String: Double] = [:]
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, let number = Double(pair[1]) else {
        throw ValidationError("--schedule takes NUMBER after KEY=, got '\(part)' in '\(text)'.")
      }
      numbers[String(pair[0])] = number
    }
    func take(_ key: String, or standard: Double) -> Double {
      numbers.removeValue(forKey: key) ?? standard
    }
    func whole(_ key: String, or standard: Double) throws -> Int {
      let number = take(key, or: standard)
      guard let whole = Int(exactly: number), whole >= 0 else {
        throw ValidationError("--schedule takes a number of steps for \(key), got \(number).")
      }
      return whole
    }
    let warmUp = try whole("warmup", or: 0)
    let decay: ValueSchedule.Decay
    switch head[0] {
    case "constant": decay = .none
    case "step": decay = .step(every: try whole("every", or: 1000), factor: take("factor", or: 0.5))
    case "cosine": decay = .cosine(lowest: take("lowest", or: 0))
    default:
      throw ValidationError(
        "--schedule takes constant, step or cosine before the colon, got '\(head[0])'.")
    }
    if let key = numbers.keys.sorted().first {
      throw ValidationError("--schedule \(head[0]) has no '\(key)'.")
    }
    return ValueSchedule(base, decay, warmUpSteps: warmUp)
  }
}
