// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension ClassMap {
  /// The legend as a person reads it, a line for each class.
  var legendLines: [String] {
    legend.map { entry in
      let share = entry.percentText
      let indentation = String(repeating: " ", count: max(0, 7 - share.count))
      return "  \(Console.swatch(entry.color))\(indentation)\(share)  \(entry.name.printable)"
    }
  }

  /// The map as a program reads it.
  ///
  /// - Parameter path: The file that it is written to; nil without one.
  /// - Returns: The size, and the classes that occur.
  func json(path: String?) -> JSONValue {
    var members: [String: JSONValue] = [
      "width": .number(Double(width)), "height": .number(Double(height)),
      "classes": .array(
        legend.map { entry in
          .object([
            "index": .number(Double(entry.index)),
            "label": entry.label.map { .string($0) } ?? .null,
            "share": .number(entry.share),
            "color": .string(entry.color.hexadecimal),
          ])
        }),
    ]
    members["path"] = path.map { .string($0) }
    return .object(members)
  }
}

extension ClassMap.LegendEntry {
  /// The label, or the number where there is none.
  var name: String { label ?? "class \(index)" }

  /// The share in percent; one that would be rounded to nothing is said to be small.
  var percentText: String { share < 0.0005 ? "< 0.1%" : "\((share * 100).fixed(1))%" }
}
