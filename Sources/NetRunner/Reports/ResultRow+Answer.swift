// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

extension ResultRow {
  /// Removes what only the first rows of a report have.
  package mutating func dropPictures() {
    picture = nil
    comparison?.shapes = nil
  }
}

extension ResultRow {
  private static let mostLines = 3
  private static let mostNumbers = 4

  /// What the model answered, in at most three lines for people: labels, numbers with units, a text or
  /// the range of a depth map.
  ///
  /// It is empty if the sample failed, or if the answer is a picture.
  package var answer: [String] {
    if let predicted {
      return [predicted + (score.map { " \(Self.number($0))" } ?? "")]
    }
    let results = evaluation?.inferenceResults ?? [:]
    let lines = results.sorted { $0.key < $1.key }
      .flatMap { Self.lines(of: $0.value, named: $0.key) }
    return Array(lines.prefix(Self.mostLines))
  }

  private static func lines(of value: JSONValue, named name: String) -> [String] {
    switch value {
    case .number(let value): return ["\(name) \(number(value))"]
    case .string(let text): return [text]
    case .array(let elements):
      let labels = elements.compactMap(scoredLabel)
      if !labels.isEmpty { return labels }
      let numbers = elements.prefix(mostNumbers).compactMap(\.asNumber).map(number)
      guard !numbers.isEmpty else { return [] }
      let rest = elements.count > numbers.count ? ", …" : ""
      return ["\(name) \(numbers.joined(separator: ", "))\(rest)"]
    case .object(let members):
      if case .array(let nearest)? = members["nearest"] { return nearest.compactMap(scoredLabel) }
      if let least = members["minimum"]?.asNumber, let greatest = members["maximum"]?.asNumber {
        return ["from \(number(least)) to \(number(greatest))\(unit(of: members))"]
      }
      return members.sorted { $0.key < $1.key }.compactMap { name, value in
        guard case .object(let measurement) = value, let value = measurement["value"]?.asNumber
        else { return nil }
        return "\(name) \(number(value))\(unit(of: measurement))"
      }
    case .null, .bool, .integer: return []
    }
  }

  private static func scoredLabel(_ value: JSONValue) -> String? {
    guard case .object(let members) = value, case .string(let label)? = members["label"],
      let score = members["score"]?.asNumber
    else { return nil }
    return "\(label) \(number(score))"
  }

  private static func unit(of members: [String: JSONValue]) -> String {
    if case .string(let unit)? = members["unit"] { " \(unit)" } else { "" }
  }

  /// A number with four digits.
  private static func number(_ value: Double) -> String {
    DecimalText(value, atMost: 4).description
  }
}
