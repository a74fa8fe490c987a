// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOLiteRT

/// The operators of a model in its own runs: how long they take, how often they run, and what runs them.
package struct ProfileReport: Sendable {
  private let times: OperatorTimes

  package init(_ times: OperatorTimes) { self.times = times }

  /// The steps of one name that the same kernels run.
  private struct Total {
    var name: String
    var delegate: String?
    var steps = 0
    var calls = 0.0
    var time = Duration.zero
    var share = 0.0
  }

  /// The operators of the main graph by name, slowest first.
  ///
  /// The bodies of loops are a part of the operator that contains them.
  private var totals: [Total] {
    var totals: [Total] = []
    for step in times.steps where step.graph == times.steps.first?.graph {
      let index =
        totals.firstIndex { $0.name == step.name && $0.delegate == step.delegate }
        ?? {
          totals.append(Total(name: step.name, delegate: step.delegate))
          return totals.count - 1
        }()
      totals[index].steps += 1
      totals[index].calls += step.calls
      totals[index].time += step.time
      totals[index].share += step.share
    }
    return totals.sorted { ($1.time, $0.name) < ($0.time, $1.name) }
  }

  /// The report as JSON, with the keys that `tensorio help bench` lists.
  package var json: JSONValue {
    func ms(_ time: Duration) -> JSONValue { .number(time.milliseconds.significant) }
    func delegate(_ name: String?) -> JSONValue { name.map(JSONValue.string) ?? .null }
    return .object([
      "runs": .integer(Int64(times.runs)), "run_ms": ms(times.runTime),
      "profiled_run_ms": ms(times.profiledRunTime), "operators_ms": ms(times.operatorTime),
      "operators": .array(
        totals.map { total in
          .object([
            "name": .string(total.name), "delegate": delegate(total.delegate),
            "steps": .integer(Int64(total.steps)), "calls": .number(total.calls.significant),
            "ms": ms(total.time), "share": .number(total.share.significant),
          ])
        }),
      "steps": .array(
        times.steps.map { step in
          .object([
            "name": .string(step.name), "delegate": delegate(step.delegate),
            "graph": .integer(Int64(step.graph)),
            "operator": .numberOrNull(step.index.map(Double.init)),
            "part": .numberOrNull(step.part.map(Double.init)),
            "calls": .number(step.calls.significant), "ms": ms(step.time),
            "share": .number(step.share.significant),
          ])
        }),
    ])
  }

  /// A table of the operators, and how much of a run they explain.
  package var text: String {
    var table = TextTable(headings: ["Operator", "By", "Calls", "Time", "Share"])
    for total in totals {
      table.append(
        total.name, total.delegate ?? "built-in", total.calls.fixed(total.calls < 10 ? 1 : 0),
        total.time.formatted, "\((total.share * 100).fixed(1))%")
    }
    // Whole microseconds are too coarse for steps of one or two.
    let isCoarse = totals.contains { $0.time < .microseconds(2 * $0.calls) }
    let note =
      isCoarse
      ? "\nLiteRT's profiler counts whole microseconds, so shorter steps seem to take less." : ""
    return """
      operators (the faster half of \(times.runs) runs with the profiler)
      \(table.lines().joined(separator: "\n"))
      The operators took \(times.operatorTime.formatted) of a run, which took \
      \(times.profiledRunTime.formatted) with the profiler and \(times.runTime.formatted) without it.\(note)
      """
  }
}

extension OperatorTimes.Step {
  /// What runs the step, or nil for the runtime's own kernels.
  var delegate: String? { part == nil ? nil : "XNNPACK" }
}

extension OperatorTimes {
  /// The time of all steps of the main graph.
  package var operatorTime: Duration {
    steps.reduce(.zero) { $1.graph == steps.first?.graph ? $0 + $1.time : $0 }
  }
}
