// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A number that an evaluation must reach, such as `top1>=0.7`.
///
/// `=` asks for a number at least as good: not less where more is better, else not more. Numbers of
/// metrics go by their names; where two metrics have one of the same name, by `metric.name`.
/// Beside them there are `failed` and `failed_share`, pictures that failed, `throughput`, in
/// pictures a second, and latencies in milliseconds: `latency_mean`, `latency_p50`, `_p90`, `_p95`,
/// `_p99`, `_min` and `_max` of all stages together, or of one, as in `latency_inference_p95`.
///
/// ```swift
/// let gates = try ["top1=0.7", "latency_p95<=20", "failed<=0"].map(Gate.init(parsing:))
/// let isGood = try gates.flatMap { try $0.check(report) }.allSatisfy(\.isMet)
/// ```
public struct Gate: Sendable, Hashable {
  /// How a number is compared with the bound.
  public enum Relation: String, Sendable, Hashable {
    /// At least as good as the bound.
    case atLeastAsGood = "="
    /// Not less than the bound.
    case atLeast = ">="
    /// Not more than the bound.
    case atMost = "<="
  }

  /// The number's name.
  public var name: String
  /// How it is compared.
  public var relation: Relation
  /// What it is compared with.
  public var bound: Double

  /// Makes a gate.
  public init(_ name: String, _ relation: Relation, _ bound: Double) {
    self.name = name
    self.relation = relation
    self.bound = bound
  }

  /// Reads a gate.
  ///
  /// - Parameter text: A name, one of `=`, `>=` and `<=`, and a number, as `top1>=0.7`.
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
    // Double reads hexadecimal numbers and 'nan' as well: neither is meant.
    let isDecimal = number.utf8.allSatisfy {
      (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
    }
    guard isDecimal, let bound = Double(number), bound.isFinite else {
      throw Self.error(text, "compares with '\(number)', a number was expected, such as 0.7")
    }
    self.init(name, relation, bound)
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
  /// The gate as ``init(parsing:)`` reads it.
  public var description: String { name + relation.rawValue + bound.shortText }
}

extension Gate: Codable {
  /// Reads a gate from its text.
  public init(from decoder: any Decoder) throws {
    self = try Gate(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes a gate as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Whether a model passed a gate.
public struct GateResult: Sendable, Hashable, Codable {
  /// The gate.
  public var gate: Gate
  /// The model's identifier.
  public var model: String
  /// The number that was compared; nil where it is not defined.
  public var value: Double?
  /// Whether the number is good enough; one that is not defined never is.
  public var isMet: Bool
  /// What was found, as a sentence.
  public var message: String

  /// Makes a result.
  public init(gate: Gate, model: String, value: Double?, isMet: Bool, message: String) {
    self.gate = gate
    self.model = model
    self.value = value
    self.isMet = isMet
    self.message = message
  }

  private enum CodingKeys: String, CodingKey {
    case gate, model, value, message
    case isMet = "met"
  }
}
