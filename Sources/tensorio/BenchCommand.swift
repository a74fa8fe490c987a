// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

/// The command `tensorio bench`.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure how long a model takes.",
    discussion: """
      Without a VALUE the inputs are zeros and grey pictures. Ctrl-C ends the measurement early \
      and prints what there is.
      """)

  @OptionGroup var arguments: ModelArguments

  @Option(name: .long, help: "How many runs are measured.")
  var iterations: Int = 100

  @Option(name: .long, help: "How many runs go before, unmeasured.")
  var warmup: Int = 5

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func validate() throws {
    guard iterations >= 1, warmup >= 0 else {
      throw ValidationError("--iterations takes a positive number, --warmup one from 0.")
    }
  }

  func run() throws {
    let deadline = Deadline(seconds: arguments.timeout)
    let latencies = try deadline.watch { try measure(cancellation: deadline.token) }
    try printResults(latencies)
  }

  private func measure(cancellation: CancellationToken) throws -> [RunLatency] {
    guard let model = try arguments.loadModel(cancellation: cancellation) else {
      throw TensorIOError(
        .unsupportedModel, "'\(arguments.bundle)' is a placeholder: there is nothing to measure.")
    }
    let signature = try model.signature
    let hasInput = arguments.value != nil || !arguments.input.isEmpty
    var inputs = try hasInput ? arguments.readInputs(for: signature) : .zeros(for: signature)
    inputs.placeholders = try arguments.readPlaceholders(for: signature)
    for _ in 0..<warmup { _ = try model.measure(inputs) }
    return try measure(model, on: inputs)
  }

  private func printResults(_ latencies: [RunLatency]) throws {
    let rows = [
      ("preprocess", Statistics(latencies.map(\.preprocess.milliseconds))),
      ("inference", Statistics(latencies.map(\.inference.milliseconds))),
      ("total", Statistics(latencies.map(\.total.milliseconds))),
    ]
    if json {
      var members: [String: JSONValue] = ["iterations": .number(Double(latencies.count))]
      for (name, statistics) in rows { members["\(name)_ms"] = statistics.json }
      try Console.printJSON(.object(members))
    } else {
      printTable(rows, count: latencies.count)
    }
  }

  private func measure(_ model: InferenceModel, on inputs: ModelInputs) throws -> [RunLatency] {
    let interruption = Interruption()
    var progress = ProgressBar(total: iterations)
    defer { progress.end() }
    var latencies: [RunLatency] = []
    latencies.reserveCapacity(iterations)
    while latencies.count < iterations && !interruption.isRequested {
      latencies.append(try model.measure(inputs).latency)
      progress.show(latencies.count)
    }
    return latencies
  }

  private func printTable(_ rows: [(String, Statistics)], count: Int) {
    func line(_ name: String, _ cells: [String]) -> String {
      name.padded(to: 12) + cells.map { $0.padded(to: 12, onTheLeft: true) }.joined()
    }
    Console.printData(Console.bold(line("ms", ["min", "median", "mean", "p95", "max"])))
    for (name, values) in rows {
      let cells = [values.least, values.median, values.mean, values.percentile95, values.most]
      Console.printData(line(name, cells.map { $0.fixed($0 < 0.1 ? 5 : 3) }))
    }
    let rate = 1000 / max(rows[2].1.mean, 1e-9)
    Console.printMessage("\(count) runs, \(rate.fixed(1)) a second")
  }
}

extension ModelInputs {
  /// Zeros, and grey pictures, for every input.
  fileprivate static func zeros(for signature: ModelSignature) throws -> ModelInputs {
    ModelInputs(
      list: signature.inputs.map { spec -> any TensorEncodable in
        if case .imageInput(let shape, _) = spec.kind {
          return PixelBuffer(
            width: shape.width, height: shape.height, format: .rgb,
            bytes: [UInt8](repeating: 128, count: shape.width * shape.height * 3))
        }
        if spec.dataType == .string { return [String](repeating: "", count: spec.elementCount) }
        return [Float](repeating: 0, count: spec.elementCount)
      })
  }
}
