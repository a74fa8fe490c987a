// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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

  /// Creates a gate.
  public init(_ name: String, _ relation: Relation, _ bound: Double) {
    self.name = name
    self.relation = relation
    self.bound = bound
  }

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
