// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

/// A threshold for a number of an evaluation, such as `top1>=0.7`.
///
/// `=` requires a number that is at least as good as the bound. It must not be lower if higher is
/// better, and not higher otherwise.
///
/// A metric's number is referred to by its name. If two metrics have a number with the same name,
/// use `metric.name`. Other numbers are:
///
/// - `failed` and `failed_share`: the number and fraction of images that failed.
/// - `throughput`: images per second.
/// - `latency_mean`, `latency_p50`, `_p90`, `_p95`, `_p99`, `_min` and `_max`: latencies of all
///   stages together, in milliseconds. A name such as `latency_inference_p95` refers to a single
///   stage.
///
/// ```swift
/// let gates = try ["top1=0.7", "latency_p95<=20", "failed<=0"].map(Gate.init(parsing:))
/// let isGood = try gates.flatMap { try $0.check(report) }.allSatisfy(\.isMet)
/// ```
public struct Gate: Sendable, Hashable {
  /// How a number is compared with the bound.
  public enum Relation: String, Sendable, Hashable {
    /// The number must be at least as good as the bound.
    case atLeastAsGood = "="
    /// The number must not be lower than the bound.
    case atLeast = ">="
    /// The number must not be higher than the bound.
    case atMost = "<="
  }

  /// The number's name.
  public var name: String
  /// How the number is compared with the bound.
  public var relation: Relation
  /// The bound.
  public var bound: Double
}

extension Gate {
  /// Parses a gate.
  ///
  /// - Parameter text: A name, one of `=`, `>=` and `<=`, and a number, for example `top1>=0.7`.
  /// - Throws: `TensorIOError` with the code `.invalidOption`.
  public init(parsing text: String) throws {
    let scalars = Array(text.unicodeScalars)
    guard let start = scalars.firstIndex(where: { "<>=!".unicodeScalars.contains($0) }) else {
      throw Self.error(text, "has none of '=', '>=' and '<='")
    }
    let end = scalars[start...].firstIndex { !"<>=!".unicodeScalars.contains($0) } ?? scalars.count
    let sign = Self.trimmed(scalars[start..<end])
    guard let relation = Relation(rawValue: sign) else {
      throw Self.error(text, "compares by '\(sign)'; it must be one of '=', '>=' and '<='")
    }
    let name = Self.trimmed(scalars[..<start])
    guard !name.isEmpty else { throw Self.error(text, "names nothing before '\(sign)'") }
    let number = Self.trimmed(scalars[end...])
    // Double also parses hexadecimal numbers and 'nan', which aren't allowed here.
    let isDecimal = number.utf8.allSatisfy {
      (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
    }
    guard isDecimal, let bound = Double(number), bound.isFinite else {
      throw Self.error(text, "compares with '\(number)', but a number such as 0.7 was expected")
    }
    self.init(name: name, relation: relation, bound: bound)
  }

  private static func trimmed(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let text = scalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    return String(String.UnicodeScalarView(text))
  }

  private static func error(_ text: String, _ fault: String) -> TensorIOError {
    TensorIOError(
      .invalidOption, "The gate '\(text)' \(fault). Write it as 'top1>=0.7'.")
  }
}

extension Gate: CustomStringConvertible {
  /// The gate as text that ``init(parsing:)`` can parse.
  public var description: String { name + relation.rawValue + bound.shortText }
}

extension Gate: Codable {
  /// Decodes a gate from its text.
  public init(from decoder: any Decoder) throws {
    self = try Gate(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes a gate as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The result of checking a gate for a model.
public struct GateResult: Sendable, Hashable, Codable {
  /// The gate.
  public var gate: Gate
  /// The model's identifier.
  public var model: String
  /// The number that was compared, or nil if it isn't defined.
  public var value: Double?
  /// Whether the number is good enough.
  ///
  /// An undefined number never is.
  public var isMet: Bool
  /// A sentence that explains the result.
  public var message: String

  private enum CodingKeys: String, CodingKey {
    case gate, model, value, message
    case isMet = "met"
  }
}

extension Gate {
  /// Checks the gate for every model of a report.
  ///
  /// - Returns: A result for each model, in the report's order.
  /// - Throws: `TensorIOError` with the code `.invalidOption` if a model doesn't have the gate's
  ///   number. The message lists the available ones.
  public func check(_ report: EvaluationReport) throws -> [GateResult] {
    guard !report.models.isEmpty else {
      throw TensorIOError(
        .invalidOption, "The gate '\(self)' cannot be checked: the report has no model.")
    }
    return try report.models.map { try check($0, report.dataset.samples) }
  }

  /// Checks the gate for one model.
  ///
  /// - Throws: `TensorIOError` with the code `.invalidOption` if the model doesn't have the gate's
  ///   number. The message lists the available ones.
  public func check(_ result: ModelResult) throws -> GateResult { try check(result, .images) }

  private func check(_ result: ModelResult, _ content: Dataset.Content) throws -> GateResult {
    let number = try number(in: result, content)
    let id = result.model.id
    guard let value = number.value, !value.isNaN else {
      return GateResult(
        gate: self, model: id, value: nil, isMet: false,
        message: "\(name) of '\(id)' is not defined: \(number.reason)")
    }
    let asksForMore =
      switch relation {
      case .atLeastAsGood: number.isHigherBetter
      case .atLeast: true
      case .atMost: false
      }
    let isMet = asksForMore ? value >= bound : value <= bound
    let wish = "at \(asksForMore ? "least" : "most") \(bound.shortText)"
    return GateResult(
      gate: self, model: id, value: value, isMet: isMet,
      message: "\(name) of '\(id)' is \(rounded(value)), "
        + (isMet ? "as required: \(wish)." : "but it must be \(wish)."))
  }

  /// Formats a number with few decimals, unless rounding would move it across the bound.
  private func rounded(_ value: Double) -> String {
    let text = DecimalText(value, digits: 4).description
    guard let short = Double(text), (short < bound, short > bound) == (value < bound, value > bound)
    else { return value.shortText }
    return short.shortText
  }

  private func number(
    in result: ModelResult, _ content: Dataset.Content
  ) throws -> GateNumber {
    let all = GateNumber.all(of: result, content)
    let found = all.filter { $0.fullName == name || $0.name == name }
    // Several metrics can compute the same number. The name is ambiguous only if the numbers
    // differ.
    if let first = found.first, found.allSatisfy({ $0.isSame(as: first) }) { return first }
    let id = result.model.id
    guard found.isEmpty else {
      throw TensorIOError(
        .invalidOption,
        "The gate '\(self)' could mean several numbers of '\(id)': "
          + "\(found.map(\.fullName).joined(separator: ", ")). Name one of these.")
    }
    var seen: Set<String> = []
    let names = all.map(\.name).filter { seen.insert($0).inserted }
    throw TensorIOError(
      .invalidOption,
      "The gate '\(self)' names '\(name)', which '\(id)' does not have. It has: "
        + "\(names.joined(separator: ", ")).")
  }
}

/// A number of a model that gates can refer to.
private struct GateNumber {
  var fullName: String
  var name: String
  var value: Double?
  var isHigherBetter: Bool
  /// The reason that the value is missing, as the rest of a sentence.
  var reason: String

  /// Whether the two numbers are interchangeable.
  func isSame(as other: GateNumber) -> Bool {
    let isEqual = value == other.value || value?.isNaN == true && other.value?.isNaN == true
    return isEqual && isHigherBetter == other.isHigherBetter
  }

  static func all(of result: ModelResult, _ content: Dataset.Content) -> [GateNumber] {
    let metrics = result.metrics.sorted { $0.key < $1.key }.flatMap { metric, report in
      report.values.map { value in
        let reason =
          value.value != nil
          ? "it is not a number."
          : report.notes.isEmpty
            ? "it comes from \(content.counted(value.count))."
            : report.notes.joined(separator: " ")
        return GateNumber(
          fullName: "\(metric).\(value.name)", name: value.name, value: value.value,
          isHigherBetter: value.isHigherBetter, reason: reason)
      }
    }
    return metrics + images(of: result, content) + latencies(of: result, content)
  }

  private static func images(
    of result: ModelResult, _ content: Dataset.Content
  ) -> [GateNumber] {
    let share = result.images > 0 ? Double(result.failed) / Double(result.images) : nil
    return [
      GateNumber("failed", Double(result.failed)),
      GateNumber("failed_share", share, reason: "there are no \(content.plural)."),
      GateNumber("throughput", result.throughput, isHigherBetter: true),
    ]
  }

  private static func latencies(
    of result: ModelResult, _ content: Dataset.Content
  ) -> [GateNumber] {
    let latency = result.latency
    let stages = [
      ("", latency.total), ("total_", latency.total), ("decode_", latency.decode),
      ("preprocess_", latency.preprocess), ("inference_", latency.inference),
      ("postprocess_", latency.postprocess),
    ]
    return stages.flatMap { stage, statistics in
      let numbers: [(String, Double?, Int)] = [
        ("mean", statistics.mean, 1), ("min", statistics.minimum, 1),
        ("p50", statistics.p50, 1), ("p90", statistics.p90, 10), ("p95", statistics.p95, 20),
        ("p99", statistics.p99, 100), ("max", statistics.maximum, 1),
      ]
      return numbers.map { name, value, least in
        GateNumber(
          "latency_\(stage)\(name)", value,
          reason: "it needs at least \(counted(least, "measured \(content.noun)")), but there "
            + "\(statistics.count == 1 ? "is" : "are") \(statistics.count).")
      }
    }
  }
}

extension GateNumber {
  init(
    _ name: String, _ value: Double?, isHigherBetter: Bool = false,
    reason: String = "it is not a number."
  ) {
    self.init(
      fullName: name, name: name, value: value, isHigherBetter: isHigherBetter, reason: reason)
  }
}
