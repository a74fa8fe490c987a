// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension DecodedValue {
  /// The value in the format of `tensorio run --json` and of rows.
  ///
  /// - Parameter limit: The most elements of each list; nil for all.
  /// - Returns: An array, an object or null.
  package func json(limit: Int? = nil) -> JSONValue {
    switch self {
    case .objects(let objects): .array(objects.prefix(limit ?? .max).map(\.json))
    case .labels(let labels): .array(labels.prefix(limit ?? .max).map(\.json))
    case .embedding(let embedding):
      .object([
        "vector": .array(embedding.vector.prefix(limit ?? .max).map(JSONValue.float)),
        "nearest": .array(embedding.nearest.map(\.json)),
      ])
    case .depth(let map):
      Self.object([
        "width": .integer(map.width), "height": .integer(map.height), "unit": .text(map.unit),
        "minimum": .float(map.minimum), "maximum": .float(map.maximum),
      ])
    case .measurements(let measurements):
      .object(
        Dictionary(
          measurements.map {
            ($0.name, Self.object(["value": .number($0.value), "unit": .text($0.unit)]))
          },
          uniquingKeysWith: { first, _ in first }))
    case .text(let text):
      Self.object(["text": .string(text.text), "score": text.score.map(JSONValue.float)])
    }
  }

  /// An object without the members that are nil.
  fileprivate static func object(_ members: [String: JSONValue?]) -> JSONValue {
    .object(members.compactMapValues(\.self))
  }

  /// Lines of text for people, one for each object, label or number.
  package var lines: [String] {
    switch self {
    case .objects(let objects): objects.map(\.line)
    case .labels(let labels): labels.map { "\($0.score.short)  \($0.label)" }
    case .embedding(let embedding):
      ["\(embedding.vector.count) numbers"]
        + embedding.nearest.map { "\($0.score.short)  \($0.label)" }
    case .depth(let map):
      [
        "\(map.width) x \(map.height), from \(map.minimum) to \(map.maximum)"
          + (map.unit.map { " \($0)" } ?? "")
      ]
    case .measurements(let measurements):
      measurements.map { "\($0.name)  \($0.value)" + ($0.unit.map { " \($0)" } ?? "") }
    case .text(let text): [text.text + (text.score.map { "  (\($0.short))" } ?? "")]
    }
  }
}

extension Detection {
  fileprivate var json: JSONValue {
    DecodedValue.object([
      "class": .integer(classIndex), "label": .string(label), "score": .float(score),
      "box": .object([
        "x": .number(box.x), "y": .number(box.y), "width": .number(box.width),
        "height": .number(box.height),
      ]),
      "angle": angle.map(JSONValue.number),
      "keypoints": keypoints.map { .array($0.map(\.json)) },
      "mask": mask.map(\.json),
    ])
  }

  fileprivate var line: String {
    let corner = "at (\(box.x.whole), \(box.y.whole))"
    let size = "\(box.width.whole) x \(box.height.whole) pixels"
    var line = "\(score.short)  \(label)  \(size) \(corner)"
    if let angle { line += ", turned by \((angle * 180 / .pi).whole) degrees" }
    if let keypoints { line += ", \(counted(keypoints.count, "keypoint"))" }
    if let mask { line += ", mask of \(mask.area) pixels" }
    return line
  }
}

extension Keypoint {
  fileprivate var json: JSONValue {
    DecodedValue.object([
      "name": .string(name), "x": .number(x), "y": .number(y), "score": score.map(JSONValue.float),
    ])
  }
}

extension ObjectMask {
  fileprivate var json: JSONValue {
    .object([
      "x": .integer(x), "y": .integer(y), "width": .integer(width), "height": .integer(height),
      "area": .integer(area), "runs": .array(runs.map(JSONValue.integer)),
    ])
  }
}

extension ScoredLabel {
  fileprivate var json: JSONValue {
    .object(["index": .integer(index), "label": .string(label), "score": .float(score)])
  }
}

extension JSONValue {
  fileprivate static func integer(_ value: Int) -> JSONValue { .number(Double(value)) }
  fileprivate static func float(_ value: Float) -> JSONValue { .number(value.shortestDouble) }
  fileprivate static func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
}

extension Double {
  fileprivate var whole: String { isFinite && magnitude < 1e15 ? "\(Int(rounded()))" : "\(self)" }
}

extension Float {
  /// The number with four decimals.
  fileprivate var short: String {
    guard isFinite, magnitude < 1e10 else { return "\(self)" }
    let scaled = Int((Double(magnitude) * 10000).rounded())
    let decimals = "\(scaled % 10000)"
    let zeros = String(repeating: "0", count: 4 - decimals.count)
    return "\(self < 0 ? "-" : "")\(scaled / 10000).\(zeros)\(decimals)"
  }
}
