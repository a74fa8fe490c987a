// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Drawings
import ModelTools
package import TensorIO
import TensorIODecoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

package struct OutputPrinter {
  let top: Int?
  let threshold: Float?

  package init(top: Int? = nil, threshold: Float? = nil) {
    self.top = top
    self.threshold = threshold
  }

  /// The most numbers of an array that are printed as text.
  private static let shownNumbers = 12

  // MARK: - JSON

  func printJSON(
    _ outputs: [(name: String, value: TensorValue)], _ latency: RunLatency,
    _ images: WrittenImages, with members: [String: JSONValue] = [:]
  ) throws {
    var document = try document(outputs, latency, paths: images.outputs)
    document["previews"] = images.previews.map { previews in
      .object(previews.mapValues { .object($0.mapValues(JSONValue.string)) })
    }
    document.merge(members) { own, _ in own }
    try Console.printJSON(.object(document))
  }

  /// Returns the outputs and latencies as JSON, with the paths of written images by the outputs'
  /// names.
  package func document(
    _ outputs: [(name: String, value: TensorValue)], _ latency: RunLatency,
    paths: [String: String] = [:]
  ) throws -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for (name, value) in outputs { members[name] = try json(value, path: paths[name]) }
    return [
      "outputs": .object(members),
      "latency_ms": .object([
        "preprocess": .number(latency.preprocess.milliseconds),
        "inference": .number(latency.inference.milliseconds),
        "total": .number(latency.total.milliseconds),
      ]),
    ]
  }

  private func json(_ value: TensorValue, path: String?) throws -> JSONValue {
    switch value {
    case .number(let number): return json(number)
    case .numbers(let numbers): return .array(numbers.map(json))
    case .labels(let classification):
      guard top != nil || threshold != nil else {
        return .object(classification.dictionary.mapValues { .number($0.shortestDouble) })
      }
      return .array(
        classification.top(top, threshold: threshold).map { label, value in
          .object(["label": .string(label), "value": .number(value.shortestDouble)])
        })
    case .bytes(let data, let dataType):
      // The bytes are printed as the numbers they hold, like those of every other layer. Their type
      // is in model.json.
      let numbers = try numbers(in: data.bytes, dataType)
      return numbers.count == 1 ? json(numbers[0]) : .array(numbers.map(json))
    case .strings(let strings):
      let texts = strings.map(json)
      return texts.count == 1 ? texts[0] : .array(texts)
    case .image(let image):
      var members: [String: JSONValue] = [
        "width": .number(Double(image.width)), "height": .number(Double(image.height)),
      ]
      members["path"] = path.map { .string($0) }
      return .object(members)
    case .classMap(let map): return json(map, path: path)
    case .decoded(let value): return value.json(limit: top)
    case .tensor(let tensor): return .array(try numbers(in: tensor).map(json))
    case .list(let values): return .array(try values.map { try json($0, path: nil) })
    }
  }

  private func json(_ map: ClassMap, path: String?) -> JSONValue {
    let classes = map.legend.map { entry in
      JSONValue.object([
        "index": .number(Double(entry.index)), "label": .stringOrNull(entry.label),
        "share": .number(entry.share), "color": .string(entry.color.hexadecimal),
      ])
    }
    var members: [String: JSONValue] = [
      "width": .number(Double(map.width)), "height": .number(Double(map.height)),
      "classes": .array(classes),
    ]
    members["path"] = path.map { .string($0) }
    return .object(members)
  }

  private func json(_ number: TensorValue.Number) -> JSONValue {
    switch number {
    case .integer(let integer): .integer(integer)
    case .float(let float): .number(float.shortestDouble)
    case .double(let double): .number(double)
    case .bool(let bool): .bool(bool)
    }
  }

  /// Returns a string if the bytes are UTF-8, and otherwise an object with their Base64 encoding.
  private func json(_ string: Data) -> JSONValue {
    String(validating: string, as: UTF8.self).map { .string($0) }
      ?? .object(["base64": .string(string.base64EncodedString())])
  }

  private func numbers(in tensor: Tensor) throws -> [TensorValue.Number] {
    try tensor.withBytes { try numbers(in: $0, tensor.dataType) }
  }

  private func numbers(in bytes: RawSpan, _ dataType: DataType) throws -> [TensorValue.Number] {
    let count = bytes.byteCount / max(dataType.byteWidth, 1)
    let spec = TensorSpec(
      name: "tensor", shape: [count], dataType: dataType, kind: .vector(nil, labels: nil))
    switch try TensorValue.decode(bytes, as: spec) {
    case .number(let number): return [number]
    case .numbers(let numbers): return numbers
    default: return []
    }
  }

  // MARK: - Text

  func printText(
    _ outputs: [(name: String, value: TensorValue)], _ latency: RunLatency,
    _ images: WrittenImages
  ) throws {
    try printText(outputs, images)
    for line in images.previewLines { Console.printMessage(line) }
    Console.printMessage(
      "preprocess \(latency.preprocess.formatted), inference \(latency.inference.formatted)")
  }

  /// Prints the outputs alone.
  func printText(
    _ outputs: [(name: String, value: TensorValue)], _ images: WrittenImages = WrittenImages()
  ) throws {
    for (name, value) in outputs { try printText(name, value, path: images.outputs[name]) }
  }

  private func printText(_ name: String, _ value: TensorValue, path: String?) throws {
    let title = Console.bold(name)
    switch value {
    case .number(let number): Console.printData("\(title)  \(text(number))")
    case .numbers(let numbers): Console.printData("\(title)  \(text(numbers))")
    case .labels(let classification):
      Console.printData(title)
      let shown = classification.top(top ?? 5, threshold: threshold)
      for (label, value) in shown { Console.printData("  \(value.fixed(4))  \(label)") }
      if shown.isEmpty { Console.printData("  no value above the threshold") }
    case .bytes(let data, let dataType):
      let numbers = try numbers(in: data.bytes, dataType)
      Console.printData("\(title)  \(numbers.count == 1 ? text(numbers[0]) : text(numbers))")
    case .strings(let strings):
      for string in strings {
        let text = String(validating: string, as: UTF8.self) ?? "\(string.count) bytes"
        Console.printData("\(title)  \(text)")
      }
    case .image(let image):
      let destination = path ?? "not written; use --output-image \(name)=FILE.png"
      Console.printData("\(title)  image of \(image.width) x \(image.height) (\(destination))")
    case .classMap(let map):
      let destination = path ?? "not written; use --output-image \(name)=FILE.png or .svg"
      Console.printData("\(title)  class map of \(map.width) x \(map.height) (\(destination))")
      for entry in map.legend {
        let share = entry.percentText.padded(to: 7, onTheLeft: true)
        Console.printData("  \(Console.swatch(entry.color))\(share)  \(entry.name.printable)")
      }
    case .decoded(let value):
      let lines = value.lines
      Console.printData(path.map { "\(title)  (\($0))" } ?? title)
      for line in lines.prefix(top ?? .max) { Console.printData("  \(line.printable)") }
      if lines.isEmpty { Console.printData("  nothing above the threshold") }
    case .tensor(let tensor): Console.printData("\(title)  \(try text(numbers(in: tensor)))")
    case .list(let values):
      for value in values { try printText(name, value, path: nil) }
    }
  }

  private func text(_ numbers: [TensorValue.Number]) -> String {
    let shown = numbers.prefix(Self.shownNumbers).map(text).joined(separator: ", ")
    return numbers.count <= Self.shownNumbers
      ? "[\(shown)]" : "[\(shown), ...] (\(numbers.count) values; --json prints all)"
  }

  private func text(_ number: TensorValue.Number) -> String {
    switch number {
    case .integer(let integer): "\(integer)"
    case .float(let float): "\(float)"
    case .double(let double): "\(double)"
    case .bool(let bool): "\(bool)"
    }
  }

  // MARK: - Placeholders

  func printPlaceholder(asJSON: Bool) throws {
    if asJSON { try printJSON([], RunLatency(), WrittenImages()) }
    Console.printMessage("The bundle is a placeholder without a model, so there are no outputs.")
  }
}
