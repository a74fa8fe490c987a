// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import NetRunner
import TensorIO
import TensorIOLiteRT

struct BenchMeasurement {
  var latencies: [RunLatency] = []
  var duration = Duration.zero
  var firstRun = Duration.zero
  /// The times of the model's operators, if they were measured.
  var profile: OperatorTimes?
  /// How much memory sessions take, if it was measured.
  var memory: SessionMemory?

  /// What ran the model.
  var accelerators = AcceleratorReport(nil)

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
    members.merge(accelerators.members) { own, _ in own }
    members["memory"] = memory?.json
    if let profile { members["profile"] = ProfileReport(profile).json }
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
    if let memory { Console.printData("\n" + memory.text) }
    if let profile { Console.printData("\n" + ProfileReport(profile).text) }
    let atOnce = workers == 1 ? "" : ", \(workers) at once"
    Console.printMessage("\(counted(latencies.count, "run"))\(atOnce), \(rate.fixed(1)) per second")
    if accelerators.isAsked { Console.printMessage("accelerator: \(accelerators.text())") }
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
