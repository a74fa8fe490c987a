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
import TensorIOLiteRT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure how long a model takes.",
    discussion: """
      Without a VALUE, the inputs are zeros and grey images. The decoding of an image is measured \
      separately. The cold start is the time to load the model and the first run in this process. \
      Ctrl-C ends the measurement early and prints the results so far; the exit code is then 130.
      --profile and --memory measure the CPU, so they are errors with --accelerator gpu or auto.

      With --profile, LiteRT's profiler measures the operators of further runs, which alternate with \
      runs without it. XNNPACK merges, splits and reorders operators, so its steps have names of their \
      own. 'tensorio inspect --times' shows the operators of the file. In JSON, the key profile has \
      runs, run_ms (without the profiler), profiled_run_ms, operators_ms (their sum), operators (name, \
      delegate: null for the runtime's own kernels, steps, calls: how often they run in one run, ms, \
      share) and steps (name, delegate, graph, operator: the index in the graph, part: which part \
      of the graph XNNPACK took, calls, ms, share).

      With --memory, the memory of a process with 1, 2 and 4 sessions is measured (its proportional \
      share, on Linux). The first session includes the runtime and the model's file. In JSON, the key \
      memory has weights_shared and sessions (sessions, bytes, bytes_per_further_session).

      Examples:
        tensorio bench pets.tiobundle cat.jpg
        tensorio bench pets.tiobundle cat.jpg --iterations 1000 --workers 4
        tensorio bench pets.tiobundle cat.jpg --profile --profile-svg pets.svg
      """)

  @OptionGroup var arguments: ModelArguments

  @Option(help: "The number of measured runs.")
  var iterations = 100

  @Option(help: "The number of unmeasured runs that each worker starts with.")
  var warmup = 5

  @Option(help: "How many runs happen at once, each with its own thread and session.")
  var workers = 1

  @Flag(help: "Also measure the model's operators.")
  var profile = false

  @Option(
    name: .customLong("profile-svg"),
    help: ArgumentHelp(
      "Measure the operators, and draw where the time of a run goes, in an .svg file.",
      valueName: "file"), completion: .file(extensions: ["svg"]))
  var profileDrawing: String?

  @Flag(help: "Also measure how much memory 1, 2 and 4 sessions take.")
  var memory = false

  @Option(name: .customLong("sessions-memory"), help: .hidden)
  var sessionsToMeasure: Int?

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try checkUsage(
      iterations >= 1 && (0...1_000_000).contains(warmup),
      "--iterations takes a positive number, --warmup a number from 0 to 1000000.")
    try checkUsage(
      (1...1024).contains(workers), "--workers takes a number from 1 to 1024, got \(workers).")
    let measuresCPU = [
      ("--profile", profile), ("--profile-svg", profileDrawing != nil), ("--memory", memory),
    ]
    if let choice = arguments.accelerator, choice != .cpu,
      let option = measuresCPU.first(where: { $0.1 })?.0
    {
      throw ValidationError(
        "\(option) measures the CPU, so it can't be combined with --accelerator \(choice.rawValue). Run bench "
          + "once with each.")
    }
    if let profileDrawing {
      try checkUsage(
        profileDrawing.hasSuffix(".svg"),
        "--profile-svg takes the name of an .svg file, got '\(profileDrawing)'.")
    }
  }

  func run() throws {
    if let sessionsToMeasure { return try printMemory(ofSessions: sessionsToMeasure) }
    if let profileDrawing { try FileSystem.checkOutput(profileDrawing, "The drawing") }
    let deadline = Deadline(seconds: arguments.timeout)
    let measurement = try deadline.watch { try measure(cancellation: deadline.token) }
    if let profileDrawing, let times = measurement.profile {
      let drawing = FlameChart(times, of: FileSystem.name(of: arguments.bundle))
      try FileSystem.writing("'\(profileDrawing)' can't be written") {
        try Data(drawing.svg.utf8).write(to: URL(filePath: profileDrawing))
      }
    }
    if json { try measurement.printJSON() } else { measurement.printText() }
    if Interruption.wasRequested {
      Console.printMessage(
        "interrupted after \(measurement.latencies.count) of \(iterations) runs")
      throw Interruption.exitCode
    }
  }

  private func measure(cancellation: CancellationToken) throws -> BenchMeasurement {
    let clock = ContinuousClock()
    let start = clock.now
    let accelerators = AcceleratorReport(arguments.accelerator)
    guard
      let model = try arguments.loadModel(
        cancellation: cancellation, sessions: workers, on: accelerators)
    else {
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
    measurement.accelerators = accelerators
    if memory {
      measurement.memory = try SessionMemory(
        sharesWeights: model.bundle.modelPath.map(FileSystem.isFolder) == true
          ? nil : arguments.weightCache != nil)
    }
    if profile || profileDrawing != nil {
      measurement.profile = try operatorTimes(besides: step, cancellation)
    }
    return measurement
  }

  /// Prints how many bytes a model takes with a number of sessions, each of which has run.
  private func printMemory(ofSessions count: Int) throws {
    let before = SessionMemory.used
    guard
      let model = try arguments.loadModel(
        cancellation: CancellationToken(), sessions: count, on: AcceleratorReport(nil))
    else { return }
    let step = try step(model)
    try ParallelWork(count: 4 * count, threads: count) { _ in Result { try step() } }
      .run { _, result in _ = try result.get() }
    Console.printData("\(max(SessionMemory.used - before, 0))")
  }

  /// The most runs with the profiler, and the most seconds that all runs beside them may take.
  private static let profiled = (runs: 200, time: Duration.seconds(10))

  /// Measures the operators in runs with the profiler, which alternate with runs without it.
  private func operatorTimes(
    besides plainStep: () throws -> RunLatency, _ cancellation: CancellationToken
  ) throws -> OperatorTimes? {
    let recorder = OperatorRecorder()
    guard
      let model = try arguments.loadModel(
        cancellation: cancellation, on: AcceleratorReport(nil), recorder: recorder)
    else { return nil }
    let interruption = Interruption()
    let step = try step(model)
    _ = try step()
    recorder.reset()
    var plainRuns: [Duration] = []
    let start = ContinuousClock.now
    repeat {
      plainRuns.append(try plainStep().inference)
      _ = try step()
    } while plainRuns.count < min(iterations, Self.profiled.runs) && !interruption.isRequested
      && ContinuousClock.now - start < Self.profiled.time
    return recorder.operatorTimes(besides: plainRuns)
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
