// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOLiteRT

/// How long a model's operators take with the built-in kernels, and how long XNNPACK's steps take.
package struct OperatorReport: Sendable {
  /// What was measured with one kind of kernels, or why the model doesn't run with them.
  private let measured:
    [(kernels: OperatorTimes.Kernels, result: Result<OperatorTimes, TensorIOError>)]

  /// How many of the slowest steps the text lists.
  private static let listed = 20

  /// Measures the model at a path.
  ///
  /// - Throws: `TensorIOError` if the model runs with neither kind of kernels.
  package init(model: String, backend: LiteRTBackend) throws {
    try backend.checkLibrary()
    measured = OperatorTimes.Kernels.allCases.map { kernels in
      let result = Result { try backend.operatorTimes(ofModelAt: model, with: kernels) }
      return (
        kernels,
        result.mapError {
          $0 as? TensorIOError ?? TensorIOError(.inferenceFailed, "\($0)", cause: $0)
        }
      )
    }
    let failures = measured.compactMap { each in
      if case .failure(let error) = each.result { error } else { nil }
    }
    if let error = failures.last, failures.count == measured.count { throw error }
  }

  /// The times of the operators with the built-in kernels, or nil if the model doesn't run with them.
  private var builtIn: OperatorTimes? {
    measured.lazy.compactMap { try? $0.result.get() }.first { $0.kernels == .builtIn }
  }

  /// Returns the time of each operator of a graph with the built-in kernels, by its index.
  func steps(ofGraph graph: Int) -> [Int: OperatorTimes.Step] {
    let steps = (builtIn?.steps ?? []).filter { $0.graph == graph }
    return Dictionary(
      steps.compactMap { step in step.index.map { ($0, step) } }, uniquingKeysWith: { $1 })
  }

  // MARK: - JSON

  /// The report as JSON, with the keys that `tensorio help inspect` lists.
  package var json: JSONValue {
    .object(
      Dictionary(
        uniqueKeysWithValues: measured.map { ($0.kernels.rawValue, Self.json($0.result)) }))
  }

  private static func json(_ result: Result<OperatorTimes, TensorIOError>) -> JSONValue {
    switch result {
    case .failure(let error): .object(["error": .string(error.message)])
    case .success(let times):
      .object([
        "runs": .number(Double(times.runs)),
        "run_microseconds": .number((times.runTime.milliseconds * 1e3).significant),
        "steps": .array(
          times.steps.map { step in
            .object([
              "name": .string(step.name), "graph": .number(Double(step.graph)),
              "operator": .numberOrNull(step.index.map(Double.init)),
              "microseconds": .number((step.time.milliseconds * 1e3).significant),
              "share": .number(step.share.significant),
            ])
          }),
      ])
    }
  }

  // MARK: - Text

  /// The slowest operators, the totals by operator, and XNNPACK's slowest steps.
  package var text: String {
    var sections: [[String]] = []
    for (kernels, result) in measured {
      switch result {
      case .failure(let error):
        sections.append(["\(Self.title(of: kernels)): \(error.message)".printable])
      case .success(let times):
        sections.append(
          [
            "\(Self.title(of: kernels)) (the faster half of \(times.runs) runs, \(times.runTime.formatted) each)"
          ] + Self.slowest(of: times))
        if kernels == .builtIn { sections.append(Self.totals(of: times)) }
      }
    }
    sections.append([
      "The inputs are zeros, on one thread. Other commands run models with XNNPACK, whose steps "
        + "aren't the file's operators."
    ])
    return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func title(of kernels: OperatorTimes.Kernels) -> String {
    switch kernels {
    case .builtIn: "Operators with built-in kernels"
    case .xnnpack: "Steps with XNNPACK"
    }
  }

  private static func slowest(of times: OperatorTimes) -> [String] {
    var table = TextTable(headings: ["Graph", "#", "Operator", "Time", "Share"])
    let sorted = times.steps.sorted { $0.time > $1.time }
    for step in sorted.prefix(listed) {
      table.append(
        step.graph == times.steps.first?.graph ? "" : String(step.graph),
        step.index.map(String.init) ?? "", step.name, step.time.formatted, step.share.percent)
    }
    let rest = sorted.count - listed
    return table.lines() + (rest > 0 ? ["  and \(rest) more"] : [])
  }

  private static func totals(of times: OperatorTimes) -> [String] {
    let main = times.steps.filter { $0.graph == times.steps.first?.graph }
    let totals = Dictionary(grouping: main, by: \.name).mapValues { steps in
      (steps.count, steps.reduce(.zero) { $0 + $1.time }, steps.reduce(0) { $0 + $1.share })
    }
    var table = TextTable(headings: ["Operator", "Count", "Time", "Share"])
    for (name, total) in totals.sorted(by: { ($1.value.1, $0.key) < ($0.value.1, $1.key) }) {
      table.append(name, String(total.0), total.1.formatted, total.2.percent)
    }
    return ["Totals with built-in kernels"] + table.lines()
  }
}

extension Double {
  /// A share of 1 as a percentage.
  fileprivate var percent: String { "\((self * 100).fixed(1))%" }
}

extension OperatorTimes.Step {
  /// The time and the share as the cells of a table.
  var cells: (time: String, share: String) { (time.formatted, share.percent) }
}
