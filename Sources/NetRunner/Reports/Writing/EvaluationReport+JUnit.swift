// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

extension EvaluationReport {
  /// The report as JUnit XML, which continuous integration servers display.
  ///
  /// Each model is a suite, and each gate is a test case that fails with the gate's message. A
  /// further test case, `pictures`, lists the images that failed. It counts as skipped if some
  /// images failed, and as an error if all of them did. Use a gate such as `failed<=0` to decide
  /// how many images may fail.
  ///
  /// - Parameter gates: The results of ``Gate/check(_:)-(EvaluationReport)``.
  /// - Returns: The whole document.
  public func junit(gates: [GateResult] = []) -> String {
    let suites = models.map { suite(of: $0, gates.filter { [id = $0.model.id] in $0.model == id }) }
    let cases = suites.flatMap(\.cases)
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites \(attribute("name", tool.name)) \(Self.counts(cases))>\n"
    for suite in suites {
      text += "<testsuite \(attribute("name", suite.name)) \(Self.counts(suite.cases))"
      text += " \(attribute("time", suite.seconds.description))"
      text += created.isEmpty ? ">\n" : " \(attribute("timestamp", created))>\n"
      text += suite.properties + suite.cases.map(\.text).joined() + "</testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private struct Suite {
    var name: String
    var seconds: Double
    var properties: String
    var cases: [Case]
  }

  private struct Case {
    enum Outcome { case passed, failed, error, skipped }
    var outcome: Outcome
    var text: String
  }

  private static func counts(_ cases: [Case]) -> String {
    func count(_ outcome: Case.Outcome) -> Int { cases.count { $0.outcome == outcome } }
    return "tests=\"\(cases.count)\" failures=\"\(count(.failed))\" errors=\"\(count(.error))\" "
      + "skipped=\"\(count(.skipped))\""
  }

  private func suite(of result: ModelResult, _ gates: [GateResult]) -> Suite {
    let properties = [
      ("dataset", dataset.name), ("dataset.sha256", dataset.sha256),
      ("model", result.model.id), ("model.sha256", result.model.sha256),
      ("tool.version", tool.version),
    ].map { "<property \(attribute("name", $0)) \(attribute("value", $1))/>\n" }
    return Suite(
      name: result.model.id, seconds: result.seconds.isFinite ? result.seconds : 0,
      properties: "<properties>\n" + properties.joined() + "</properties>\n",
      cases: gates.map { gateCase($0, result) } + [imagesCase(result)])
  }

  private func gateCase(_ gate: GateResult, _ result: ModelResult) -> Case {
    let start =
      "<testcase \(attribute("name", "\(gate.gate)")) "
      + "\(attribute("classname", result.model.id)) time=\"0\">\n"
    guard !gate.isMet else {
      return Case(
        outcome: .passed,
        text: start + "<system-out>\(gate.message.escaped(for: .xml))</system-out>\n</testcase>\n")
    }
    return Case(
      outcome: .failed,
      text: start + "<failure \(attribute("message", gate.message)) type=\"gate\"/>\n</testcase>\n")
  }

  private static let longestList = 1_000

  private func imagesCase(_ result: ModelResult) -> Case {
    let start =
      "<testcase name=\"pictures\" \(attribute("classname", result.model.id)) time=\"0\">\n"
    guard result.failed > 0 else { return Case(outcome: .passed, text: start + "</testcase>\n") }
    let rows = results.filter { $0.model == result.model.id && $0.error }
    var list = rows.prefix(Self.longestList).map { row in
      "\(row.image): \(row.errorDescription ?? "no reason was given")"
    }
    if rows.count > list.count { list.append("... and \(rows.count - list.count) more.") }
    let isLost = result.failed >= result.images
    let element = isLost ? "error" : "skipped"
    let message = "\(result.failed) of \(result.images) \(dataset.samples.plural) failed."
    return Case(
      outcome: isLost ? .error : .skipped,
      text: start + "<\(element) \(attribute("message", message))/>\n"
        + "<system-out>\(list.joined(separator: "\n").escaped(for: .xml))</system-out>\n</testcase>\n"
    )
  }
}

private func attribute(_ name: StaticString, _ value: String) -> String {
  "\(name)=\"\(value.escaped(for: .xmlAttribute))\""
}
