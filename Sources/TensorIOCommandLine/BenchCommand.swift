// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import NetRunner
import TensorIO
import TensorIOImageCodecs

/// The command `tensorio bench`.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure how long a model takes.",
    discussion: """
      Without a VALUE, the inputs are zeros and grey images. The decoding of an image is measured \
      separately. The cold start is the time to load the model and the first run in this process. \
      Ctrl-C ends the measurement early and prints the results so far.

      Examples:
        tensorio bench pets.tiobundle cat.jpg
        tensorio bench pets.tiobundle cat.jpg --iterations 1000 --workers 4
      """)

  @OptionGroup var arguments: ModelArguments

  @Option(name: .long, help: "The number of measured runs.")
  var iterations: Int = 100

  @Option(name: .long, help: "The number of unmeasured runs that each worker starts with.")
  var warmup: Int = 5

  @Option(
    name: .long,
    help: "How many runs happen at once, each with its own thread and session.")
  var workers: Int = 1

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func validate() throws {
    guard iterations >= 1, (0...1_000_000).contains(warmup) else {
      throw ValidationError(
        "--iterations takes a positive number, --warmup a number from 0 to 1000000.")
    }
    guard (1...1024).contains(workers) else {
      throw ValidationError("--workers takes a number from 1 to 1024, got \(workers).")
    }
  }

  func run() throws {
    let deadline = Deadline(seconds: arguments.timeout)
    let measurement = try deadline.watch { try measure(cancellation: deadline.token) }
    if json { try measurement.printJSON() } else { measurement.printText() }
  }

  private func measure(cancellation: CancellationToken) throws -> BenchMeasurement {
    let clock = ContinuousClock()
    let start = clock.now
    guard let model = try arguments.loadModel(cancellation: cancellation, sessions: workers) else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(arguments.bundle)' is a placeholder without a model, so nothing can be measured.")
    }
    let step = try step(model)
    var measurement = BenchMeasurement(workers: workers, load: clock.now - start)
    measurement.firstRun = try step().total
    ProcessGuard.modelHasAnswered()
    let warming = ParallelWork(count: warmup * workers, threads: workers) { _ in
      Result { try step() }
    }
    try warming.run { _, result in _ = try result.get() }
    try measure(step, into: &measurement)
    return measurement
  }

  private func measure(
    _ step: @escaping @Sendable () throws -> RunLatency, into measurement: inout BenchMeasurement
  ) throws {
    let interruption = Interruption()
    var progress = ProgressBar(total: iterations)
    defer { progress.end() }
    measurement.latencies.reserveCapacity(min(iterations, 1 << 16))
    let clock = ContinuousClock()
    let start = clock.now
    let work = ParallelWork(count: iterations, threads: workers) { _ in Result { try step() } }
    try work.run(
      until: { interruption.isRequested },
      receive: { _, result in
        measurement.latencies.append(try result.get())
        progress.show(measurement.latencies.count)
      })
    measurement.duration = clock.now - start
  }

  /// Returns the work that is measured, from the input to the outputs.
  private func step(_ model: InferenceModel) throws -> @Sendable () throws -> RunLatency {
    let signature = try model.loadSignature()
    if let path = arguments.picturePath(for: signature) {
      var decoder = ImageDecoder()
      decoder.scaling = arguments.decode
      let evaluator = try Evaluator(model, decoder: decoder)
      return {
        let evaluation = evaluator.evaluate(.file(path))
        _ = try evaluation.result.get()
        return evaluation.latency
      }
    }
    let hasInput = arguments.value != nil || !arguments.input.isEmpty
    var inputs = hasInput ? try arguments.readInputs(for: signature) : .zeros(for: signature)
    inputs.placeholders = try arguments.readPlaceholders(for: signature)
    let fixed = inputs
    return { try model.measure(fixed).latency }
  }
}

extension ModelArguments {
  /// Returns the path of the image, if the model takes only an image and VALUE names one.
  fileprivate func picturePath(for signature: ModelSignature) -> String? {
    guard let value, signature.inputs.count == 1, signature.placeholders.isEmpty,
      case .imageInput? = signature.inputs.first?.kind
    else { return nil }
    let path = value.hasPrefix("@") ? String(value.dropFirst()) : value
    guard FileSystem.isFile(path), !path.hasSuffix(".json"), !path.hasSuffix(".npy") else {
      return nil
    }
    return path
  }
}
