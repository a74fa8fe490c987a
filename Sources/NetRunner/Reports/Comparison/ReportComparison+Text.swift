// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

extension ReportComparison {
  /// The comparison as human-readable lines for a terminal.
  public var text: String {
    let heading = samples.title + "s" + String(repeating: " ", count: 10 - samples.title.count)
    var lines = ["a  \(a.title)", "b  \(b.title)"]
    lines += warnings.map { "!  \($0)" }
    lines.append("")
    lines.append(
      heading + "\(paired) in both, \(a.unpaired.count) only in a, \(b.unpaired.count) only in b")
    lines.append("Failed     \(a.failed.count) in a, \(b.failed.count) in b")
    lines += accuracyLines + latencyLines
    lines += flipLines(isRightInA: true) + flipLines(isRightInA: false)
    return lines.joined(separator: "\n") + "\n"
  }

  private var accuracyLines: [String] {
    guard let accuracy else {
      return ["Accuracy   unknown: no \(samples.noun) in both has a label"]
    }
    func share(_ value: Double, showsPlus: Bool = false) -> DecimalText {
      DecimalText(value, digits: 4, showsPlus: showsPlus)
    }
    let (low, high) = (accuracy.interval.lower, accuracy.interval.upper)
    var lines = [
      "Right      \(bothRight) in both, \(mcNemar.onlyA) only in a, \(mcNemar.onlyB) only in b, "
        + "\(bothWrong) in neither, of \(scored)",
      "Top 1      \(share(accuracy.a)) in a, \(share(accuracy.b)) in b, difference "
        + "\(share(accuracy.difference, showsPlus: true)) (95%: "
        + "\(share(low, showsPlus: true)) to \(share(high, showsPlus: true)))",
    ]
    var test = "McNemar    p \(DecimalText(probability: mcNemar.exactP)) exact"
    if let chiSquare = mcNemar.chiSquare, let p = mcNemar.chiSquareP {
      test +=
        ", chi-square \(DecimalText(chiSquare, digits: 2)) with p "
        + "\(DecimalText(probability: p)) (continuity-corrected)"
    }
    lines.append(test)
    return lines
  }

  private var latencyLines: [String] {
    latency.map { ratio in
      let name = "Latency    b / a, \(ratio.stage): "
      guard let median = ratio.median else { return name + "no \(samples.noun) was timed in both" }
      let interval = ratio.interval.map { interval in
        " (95%: \(DecimalText(interval.lower, digits: 3)) to "
          + "\(DecimalText(interval.upper, digits: 3)))"
      }
      return name + "\(DecimalText(median, digits: 3))\(interval ?? ""), median of \(ratio.count)"
    }
  }

  private static let longestList = 20

  private func flipLines(isRightInA: Bool) -> [String] {
    let found = flips.filter { $0.isRightInA == isRightInA }
    guard !found.isEmpty else { return [] }
    var lines = ["", "Right only in \(isRightInA ? "a" : "b"):"]
    lines += found.prefix(Self.longestList).map { flip in
      "  \(flip.image): \(flip.truth ?? "?"), a says \(flip.predictedA ?? "nothing (failed)"), "
        + "b says \(flip.predictedB ?? "nothing (failed)")"
    }
    if found.count > Self.longestList {
      lines.append("  ... and \(found.count - Self.longestList) more")
    }
    return lines
  }
}

extension ReportComparison.Side {
  /// The model, its version and the date of its evaluation.
  var title: String {
    "\(model.id), version \(model.version)" + (created.isEmpty ? "" : ", evaluated \(created)")
  }
}
