// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The result of comparing both sides in one stage from a file to a tensor.
struct Finding<Stage: RawRepresentable<String>> {
  let stage: Stage
  /// Whether the other side is explained, so that the stage is known to be the same or to differ.
  var isKnown = true
  /// What the other side seems to do; nil if it does the same as the bundle.
  var looksLike: String?
  /// What the bundle does.
  var insteadOf: String?
  var suggestion: String?
  /// Choices that explain the other side equally well, because this file can't tell them apart.
  var rivals: [String] = []

  var result: StageResult { !isKnown ? .unknown : looksLike == nil ? .same : .differs }
}

enum StageResult: String {
  case same, differs, unknown
}

typealias StageFinding = Finding<ParityStage>

extension Finding {
  /// Returns a phrase such as "looks like BGR instead of RGB", weaker if a difference remains.
  func sentence(isClear: Bool) -> String? {
    guard let looksLike else { return nil }
    return "\(isClear ? "looks like" : "looks most like") \(looksLike)"
      + (insteadOf.map { " instead of \($0)" } ?? "")
  }

  func detail(isClear: Bool) -> String {
    var parts: [String] = []
    if let sentence = sentence(isClear: isClear) { parts.append(sentence) }
    if !rivals.isEmpty {
      let shown = rivals.prefix(3).joined(separator: "; ")
      let more = rivals.count > 3 ? " and \(rivals.count - 3) more" : ""
      parts.append("(can't be told apart from: \(shown)\(more))")
    }
    return parts.joined(separator: " ")
  }

  /// Returns the sentence of a report that names the first stage that differs.
  func verdict(isClear: Bool) -> String {
    "first difference: \(stage.rawValue): \(sentence(isClear: isClear) ?? "differs"). "
      + (suggestion ?? "")
  }

  var json: JSONValue {
    .object([
      "stage": .string(stage.rawValue), "result": .string(result.rawValue),
      "looks_like": .stringOrNull(looksLike), "instead_of": .stringOrNull(insteadOf),
      "mending": .stringOrNull(suggestion), "cannot_be_told_from": .strings(rivals),
    ])
  }

  /// Returns the table of a report.
  static func table(_ findings: [Finding], isClear: Bool) -> [String] {
    var table = TextTable(headings: ["stage", "result", ""])
    for finding in findings {
      table.append(
        finding.stage.rawValue, finding.result.rawValue, finding.detail(isClear: isClear))
    }
    return table.lines()
  }
}

struct TensorDifference {
  private(set) var largest = 0.0
  private var sum = 0.0
  /// How many elements differ by more than the tolerance.
  private(set) var differing = 0
  private(set) var count = 0

  var mean: Double { sum / Double(max(count, 1)) }

  init(_ ours: [[Float]], _ theirs: [[Float]], tolerance: Double) {
    for (left, right) in zip(ours.joined(), theirs.joined()) {
      let difference = (Double(left) - Double(right)).magnitude
      largest = max(largest, difference)
      sum += difference
      if difference > tolerance { differing += 1 }
      count += 1
    }
  }

  /// The line of a report.
  func line(tolerance: Double) -> String {
    "largest difference \(largest.significant), mean \(mean.significant); \(differing) "
      + "of \(count) elements differ by more than \(Self.shortest(tolerance))"
  }

  /// The line of a report on equal tensors.
  func equalLine(tolerance: Double) -> String {
    "equal: the largest difference is \(largest.significant) "
      + "(tolerance \(Self.shortest(tolerance)))"
  }

  private static func shortest(_ value: Double) -> String { value == 0 ? "0" : "\(value)" }

  /// The members of the JSON report.
  static func json(_ difference: TensorDifference?) -> [String: JSONValue] {
    [
      "largest_difference": .numberOrNull(difference?.largest),
      "mean_difference": .numberOrNull(difference?.mean),
      "differing_elements": .numberOrNull(difference.map { Double($0.differing) }),
      "elements": .numberOrNull(difference.map { Double($0.count) }),
    ]
  }
}

extension JSONValue {
  static func tensor(_ type: DataType, _ shape: [Int]) -> JSONValue {
    .object(["dtype": .string(type.rawValue), "shape": .integers(shape)])
  }
}
