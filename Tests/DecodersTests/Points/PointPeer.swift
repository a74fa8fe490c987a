// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Foundation
import TestSupport
import Testing

/// Runs other implementations of the decoders with Tools/peers/decoders_points.py.
enum PointPeer {
  static let isThere = Python.path != nil
  static let reason: Comment =
    "TENSORIO_PYTHON isn't set; the test needs NumPy, SciPy, scikit-learn and TensorFlow."

  /// A random case for Python, and what our decoder returns for it; nil for an error.
  typealias Case<Value> = (input: [String: PointInput], value: Value?)

  /// Makes random cases and returns our results beside Python's, without those that are too close.
  ///
  /// It expects an error wherever Python reports one, and nowhere else.
  static func compare<Value>(
    _ kind: String, count: Int = 1_000, _ make: (inout BoxNumbers) throws -> Case<Value>
  ) async throws -> [(value: Value, answer: PointAnswer)] {
    var random = BoxNumbers(seed: kind.utf8.reduce(0) { 31 * $0 + Int($1) } & 0xFFFF)
    var cases: [Case<Value>] = []
    for _ in 0..<count {
      var made = try make(&random)
      made.input["kind"] = .text(kind)
      cases.append(made)
    }
    let output = try await Python.compute(
      ["Tools/peers/decoders_points.py"], input: JSONEncoder().encode(cases.map(\.input)))
    let answers = try JSONDecoder().decode([PointAnswer].self, from: Data(output.utf8))
    #expect(answers.count == count)
    var pairs: [(value: Value, answer: PointAnswer)] = []
    for (index, (item, answer)) in zip(cases, answers).enumerated() {
      if (answer.error == true) != (item.value == nil) {
        Issue.record("\(kind) \(index): our result and Python's aren't both errors")
      }
      guard let value = item.value, (answer.margin ?? 1) > 2e-7 else { continue }
      pairs.append((value, answer))
    }
    // Nearly all cases must be clear.
    #expect(Double(pairs.count) > 0.9 * Double(count))
    return pairs
  }

  /// Returns a result; nil if the tensor can't be decoded.
  static func result<Value>(_ decode: () throws -> Value) throws -> Value? {
    do { return try decode() } catch is DecodingError { return nil }
  }
}

/// A value of a case in JSON.
enum PointInput: Encodable {
  case tensor(PeerTensor)
  case text(String)
  case texts([String])
  case number(Double)
  case numbers([Double])
  case flag(Bool)
  case null

  static func tensor(_ values: [Float], _ shape: [Int]) -> Self {
    .tensor(PeerTensor(values, shape))
  }

  static func number(_ value: some BinaryInteger) -> Self { .number(Double(value)) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .tensor(let tensor): try container.encode(tensor)
    case .text(let text): try container.encode(text)
    case .texts(let texts): try container.encode(texts)
    case .number(let number):
      // Python's slices need integers.
      if let integer = Int(exactly: number) {
        try container.encode(integer)
      } else {
        try container.encode(number)
      }
    case .numbers(let numbers): try container.encode(numbers)
    case .flag(let flag): try container.encode(flag)
    case .null: try container.encodeNil()
    }
  }
}

/// What Python returns; numbers that aren't finite are nil.
struct PointAnswer: Decodable {
  var error: Bool?
  /// How close a decision was.
  var margin: Double?
  var points: [[Double?]]?
  var boxes: [[Double?]]?
  var vector: [Double?]?
  var values: [Double?]?
  var indices: [Int]?
  var scores: [Double?]?
  var text: String?
  var symbols: [Int]?
  var score: Double?
}

/// The largest differences between our numbers and Python's.
struct PointGap {
  private(set) var count = 0
  /// The greatest difference, divided by Python's number if that is greater than 1.
  private(set) var relative = 0.0
  private(set) var absolute = 0.0

  /// Compares lists; a difference in length or of an infinite number is an issue.
  mutating func compare(
    _ ours: [Float], _ theirs: [Double?]?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let theirs, ours.count == theirs.count else {
      Issue.record(
        "\(ours.count) numbers aren't \(theirs?.count ?? 0)", sourceLocation: sourceLocation)
      return
    }
    for (own, other) in zip(ours, theirs) {
      count += 1
      guard let other, abs(other) <= Double(Float.greatestFiniteMagnitude) else {
        if own.isFinite { Issue.record("\(own) is finite", sourceLocation: sourceLocation) }
        continue
      }
      let gap = abs(Double(own) - other)
      // A comparison with NaN must not hide it.
      absolute = gap <= absolute ? absolute : gap
      relative = gap / max(1, abs(other)) <= relative ? relative : gap / max(1, abs(other))
    }
  }
}
