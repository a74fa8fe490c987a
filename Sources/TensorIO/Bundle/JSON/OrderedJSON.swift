// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// JSON whose members keep their order, for documents that people read and edit.
///
/// `JSONEncoder` sorts keys alphabetically or not at all, but a model.json should begin with the
/// name.
package indirect enum OrderedJSON {
  case null
  case bool(Bool)
  case integer(Int)
  /// A finite number.
  case float(Float)
  /// A finite number.
  case double(Double)
  case string(String)
  case array([OrderedJSON])
  case object([(key: String, value: OrderedJSON)])

  package static func integers(_ values: [Int]) -> OrderedJSON {
    .array(values.map(OrderedJSON.integer))
  }

  package static func strings(_ values: [String]) -> OrderedJSON {
    .array(values.map(OrderedJSON.string))
  }

  /// The text of the document, indented by two spaces and with a line feed at its end.
  package var text: String {
    var text = ""
    write(into: &text, indentation: "")
    return text + "\n"
  }

  /// The maximum length of a list of plain values, such as a shape, that is written on one line.
  private static let longestLine = 80

  private func write(into text: inout String, indentation: String) {
    switch self {
    case .array(let elements):
      if let line = Self.line(of: elements) {
        text += line
      } else {
        Self.write(elements.map { (nil, $0) }, between: ("[", "]"), into: &text, indentation)
      }
    case .object(let members):
      Self.write(
        members.map { ($0.key, $0.value) }, between: ("{", "}"), into: &text, indentation)
    default: text += plainText ?? ""
    }
  }

  private static func write(
    _ parts: [(String?, OrderedJSON)], between marks: (String, String), into text: inout String,
    _ indentation: String
  ) {
    text += marks.0
    for (index, (key, value)) in parts.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + indentation + "  "
      if let key { text += quoted(key) + ": " }
      value.write(into: &text, indentation: indentation + "  ")
    }
    text += (parts.isEmpty ? "" : "\n" + indentation) + marks.1
  }

  private static func line(of elements: [OrderedJSON]) -> String? {
    var line = ""
    for element in elements {
      guard let text = element.plainText else { return nil }
      line += (line.isEmpty ? "" : ", ") + text
      guard line.utf8.count <= longestLine else { return nil }
    }
    return "[" + line + "]"
  }

  /// The text of a plain value; nil for arrays and objects.
  private var plainText: String? {
    switch self {
    case .bool(let bool): return bool ? "true" : "false"
    case .integer(let integer): return String(integer)
    case .float(let float): return float.shortText
    case .double(let double): return double.shortText
    case .null: return "null"
    case .string(let text): return Self.quoted(text)
    case .array, .object: return nil
    }
  }

  /// Returns a text in quotation marks, with escapes for control characters.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0"..<" ", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
  /// The shortest text that parses to the same number, without a trailing `.0`.
  package var shortText: String {
    description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }
}

extension OrderedJSON {
  /// The keys of a model.json, in the order in which people read them.
  private static let order = [
    "name", "details", "id", "version", "author", "license", "model", "file", "quantized", "type",
    "backend", "class", "modes", "signature", "shape", "dtype", "format", "layout", "labels",
    "resize", "crop", "normalize", "denormalize", "quantize", "dequantize", "standard", "scale",
    "bias", "inputs", "outputs", "placeholder", "placeholders", "options", "train",
  ]

  /// Orders the members of a model.json or of a part of it.
  ///
  /// Unknown keys come last, in alphabetical order.
  package init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .number(let number): self = .double(number)
    case .integer(let integer): self = .integer(Int(integer))
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map { OrderedJSON($0) })
    case .object(let members):
      let positions = members.keys.map { key in
        (Self.order.firstIndex(of: key) ?? Self.order.count, key)
      }
      self = .object(
        positions.sorted { $0 < $1 }.map { ($0.1, OrderedJSON(members[$0.1] ?? .null)) })
    }
  }
}

extension Float {
  /// The double whose shortest text is that of this number: 0.1, not 0.10000000149011612.
  ///
  /// A whole number is converted exactly, because it is printed as an integer.
  package var shortestDouble: Double {
    guard isFinite, self != rounded() else { return Double(self) }
    return Double(description) ?? Double(self)
  }
}
