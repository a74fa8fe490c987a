// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
import TensorIO

/// Prints the results of epochs, as a table for users or as one JSON object a line.
struct EpochPrinter {
  let asJSON: Bool
  private var columns: [Column] = []

  private struct Column {
    var heading: String
    var width: Int { max(heading.count, 8) + 2 }
  }

  init(asJSON: Bool) { self.asJSON = asJSON }

  /// Prints an epoch immediately.
  mutating func printEpoch(_ result: EpochResult) throws {
    if asJSON { return try Console.printJSON(Self.json(result)) }
    if columns.isEmpty { printHeading(result) }
    let values =
      ["\(result.epoch)"]
      + (Array(result.training) + (result.validation.map(Array.init) ?? []))
      .map { $0.value.shortText(digits: 4) }
      + [(result.duration / .seconds(1)).fixed(2)]
    Console.printData(line(values) + (result.isBest ? " *" : ""))
  }

  private mutating func printHeading(_ result: EpochResult) {
    let validation = result.validation.map(Array.init) ?? []
    columns =
      [Column(heading: "epoch")]
      + result.training.map { Column(heading: $0.name.printable) }
      + validation.map { Column(heading: "validation " + $0.name.printable) }
      + [Column(heading: "seconds")]
    Console.printData(Console.bold(line(columns.map(\.heading))))
  }

  private func line(_ cells: [String]) -> String {
    zip(cells, columns).enumerated().map { index, cell in
      cell.0.padded(to: index == 0 ? 5 : cell.1.width, onTheLeft: true)
    }.joined()
  }

  private static func json(_ result: EpochResult) -> JSONValue {
    func object(_ means: OutputMeans) -> JSONValue {
      .object(Dictionary(means.map { ($0.name, .number($0.value)) }) { first, _ in first })
    }
    return .object([
      "epoch": .number(Double(result.epoch)), "steps": .number(Double(result.steps)),
      "items": .number(Double(result.items)),
      "seconds": .number((result.duration.milliseconds / 1e3).significant),
      "training": object(result.training),
      "validation": result.validation.map(object) ?? .null, "best": .bool(result.isBest),
    ])
  }
}

extension Double {
  /// Returns the number for users, with decimals or, if it is very small or large, with an
  /// exponent.
  func shortText(digits: Int) -> String {
    if self == 0 || (1e-2..<1e6).contains(magnitude) { return fixed(digits) }
    guard isFinite else { return "\(self)" }
    var (mantissa, exponent) = (self, 0)
    while mantissa.magnitude >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa.magnitude < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    let text = mantissa.fixed(max(digits - 1, 1))
    return "\(text)e\(exponent)"
  }
}
