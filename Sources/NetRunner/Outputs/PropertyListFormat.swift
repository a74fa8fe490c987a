// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIODecoding

/// Shows all outputs by name, in the style of a property list.
///
/// ```
/// {
///   classification = {
///     "rocking chair" = 0.62;
///   };
///   pose = (0.5, 0.25);
/// }
/// ```
///
/// Labels are sorted by value, highest first. Only the first hundred numbers of a long array are
/// shown.
public struct PropertyListFormat: OutputFormat {
  public let decays = false

  private static let longestArray = 100

  /// Creates the format.
  public init() {}

  public func text(for prediction: Prediction) -> String {
    Self.block(
      prediction.outputs.map { (Self.word($0.name), Self.text(of: $0.value, indentation: "  ")) },
      indentation: "")
  }

  private static func block(
    _ entries: [(key: String, value: String)], indentation: String
  ) -> String {
    if entries.isEmpty { return "{}" }
    return "{\n" + entries.map { "\(indentation)  \($0.key) = \($0.value);\n" }.joined()
      + "\(indentation)}"
  }

  private static func list<Element>(
    _ elements: [Element], _ text: (Element) -> String
  ) -> String {
    let shown = elements.prefix(longestArray).map(text).joined(separator: ", ")
    let rest = elements.count - longestArray
    return "(\(shown)\(rest > 0 ? ", and \(rest) more" : ""))"
  }

  private static func text(of value: TensorValue, indentation: String) -> String {
    switch value {
    case .number(let number): text(of: number)
    case .numbers(let numbers): list(numbers, text(of:))
    case .labels(let classification):
      block(
        classification.top().map { (word($0.label), text(of: .float($0.value))) },
        indentation: indentation)
    case .bytes(let data, let type): "<\(counted(data.count, "byte")), \(type)>"
    case .strings(let strings): list(strings) { word(String(decoding: $0, as: UTF8.self)) }
    case .image(let image): "<\(image.width) x \(image.height) image>"
    case .classMap(let map):
      block(
        map.legend.map { entry in
          (word(entry.label ?? "\(entry.index)"), text(of: .double(entry.share)))
        }, indentation: indentation)
    case .decoded(let value): list(value.lines, word)
    case .tensor(let tensor): "<\(tensor.dataType) \(tensor.shape)>"
    case .list(let values): list(values) { text(of: $0, indentation: indentation) }
    }
  }

  private static func text(of number: TensorValue.Number) -> String {
    switch number {
    case .integer(let integer): "\(integer)"
    case .float(let float): float.shortText
    case .double(let double): double.shortText
    case .bool(let bool): bool ? "true" : "false"
    }
  }

  /// Returns a word unchanged, and any other text in quotes.
  private static func word(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_./-".utf8.contains(byte)
    }
    return isWord && !text.isEmpty ? text : OrderedJSON.quoted(text)
  }
}

extension OutputFormat where Self == PropertyListFormat {
  /// Shows all outputs by name, in the style of a property list.
  public static var propertyList: PropertyListFormat { PropertyListFormat() }
}
