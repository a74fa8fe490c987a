// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension ClassMap {
  /// The legend as text, with a line for each class.
  var legendLines: [String] {
    legend.map { entry in
      let share = entry.percentText
      let indentation = String(repeating: " ", count: max(0, 7 - share.count))
      return "  \(Console.swatch(entry.color))\(indentation)\(share)  \(entry.name.printable)"
    }
  }

  /// Returns the map as JSON, with its size and the classes that occur.
  ///
  /// - Parameter path: The file that the map is written to; nil if it isn't written.
  /// - Returns: A JSON object.
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
  /// The label, or the class number if the class has no label.
  var name: String { label ?? "class \(index)" }

  /// The share in percent, where a share below 0.05% is shown as "< 0.1%".
  var percentText: String { share < 0.0005 ? "< 0.1%" : "\((share * 100).fixed(1))%" }
}
