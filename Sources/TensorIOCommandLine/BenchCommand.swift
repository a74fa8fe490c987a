// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import NetRunner
import TensorIO
import TensorIOImageCodecs

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

  @Option(help: "The number of measured runs.")
  var iterations = 100

  @Option(help: "The number of unmeasured runs that each worker starts with.")
  var warmup = 5

  @Option(help: "How many runs happen at once, each with its own thread and session.")
  var workers = 1

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try checkUsage(
      iterations >= 1 && (0...1_000_000).contains(warmup),
      "--iterations takes a positive number, --warmup a number from 0 to 1000000.")
    try checkUsage(
      (1...1024).contains(workers), "--workers takes a number from 1 to 1024, got \(workers).")
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
    if let path = arguments.imagePath(for: signature) {
      var decoder = ImageDecoder()
      decoder.scaling = arguments.decode
      let evaluator = try Evaluator(model, decoder: decoder)
      return {
        let evaluation = evaluator.evaluate(.file(path))
        _ = try evaluation.result.get()
        return evaluation.latency
      }
    }
    let inputs: ModelInputs
    if arguments.value != nil || !arguments.input.isEmpty {
      inputs = try arguments.readInputs(for: signature)
    } else {
      var zeros = ModelInputs.zeros(for: signature)
      zeros.placeholders = try arguments.readPlaceholders(for: signature)
      inputs = zeros
    }
    return { try model.measure(inputs).latency }
  }
}

extension ModelArguments {
  /// Returns the path of the image, if the model takes only an image and VALUE names one.
  fileprivate func imagePath(for signature: ModelSignature) -> String? {
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

struct BenchMeasurement {
  var latencies: [RunLatency] = []
  var duration = Duration.zero
  var firstRun = Duration.zero

  let workers: Int
  let load: Duration

  private var rate: Double {
    Double(latencies.count) / max(duration.milliseconds / 1000, 1e-9)
  }

  /// The measured stages, which include decoding only if the value is an image file.
  private var stages: [(name: String, statistics: LatencyStatistics)] {
    func statistics(_ stage: KeyPath<RunLatency, Duration>) -> LatencyStatistics {
      LatencyStatistics(latencies.map { $0[keyPath: stage].milliseconds })
    }
    let decode = statistics(\.decode)
    return (decode.maximum ?? 0 > 0 ? [("decode", decode)] : []) + [
      ("preprocess", statistics(\.preprocess)), ("inference", statistics(\.inference)),
      ("postprocess", statistics(\.postprocess)), ("total", statistics(\.total)),
    ]
  }

  func printJSON() throws {
    var members: [String: JSONValue] = [
      "iterations": .integer(Int64(latencies.count)), "workers": .integer(Int64(workers)),
      "per_second": .number(rate), "peak_memory_bytes": .integer(Int64(ProcessMemory.peak)),
      "cold_start_ms": .object([
        "load": .number(load.milliseconds), "first_run": .number(firstRun.milliseconds),
      ]),
    ]
    for (name, statistics) in stages { members["\(name)_ms"] = statistics.json }
    try Console.printJSON(.object(members))
  }

  func printText() {
    func line(_ name: String, _ cells: [String]) -> String {
      name.padded(to: 12) + cells.map { $0.padded(to: 11, onTheLeft: true) }.joined()
    }
    let headings = ["min", "median", "mean", "p90", "p95", "p99", "max"]
    Console.printData(Console.bold(line("ms", headings)))
    for (name, values) in stages {
      let cells = [
        values.minimum, values.p50, values.mean, values.p90, values.p95, values.p99,
        values.maximum,
      ]
      Console.printData(
        line(name, cells.map { $0.map { $0.fixed($0 < 0.1 ? 5 : 3) } ?? "too few" }))
    }
    let atOnce = workers == 1 ? "" : ", \(workers) at once"
    Console.printMessage("\(counted(latencies.count, "run"))\(atOnce), \(rate.fixed(1)) per second")
    Console.printMessage(
      "cold start: \(load.formatted) to load, \(firstRun.formatted) for the first run; "
        + "peak memory \((Double(ProcessMemory.peak) / 1e6).fixed(1)) MB")
  }
}

extension LatencyStatistics {
  /// The values by name; null for a percentile that needs more runs.
  fileprivate var json: JSONValue {
    .object([
      "min": .numberOrNull(minimum), "median": .numberOrNull(p50), "mean": .numberOrNull(mean),
      "p90": .numberOrNull(p90),
      "p95": .numberOrNull(p95), "p99": .numberOrNull(p99), "max": .numberOrNull(maximum),
    ])
  }
}
