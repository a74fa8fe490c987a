// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A property of a generated type: an input, a placeholder, an output or a column.
struct Property {
  /// The name in model.json.
  var name: String
  /// The identifier in Swift.
  var identifier: String
  /// The type of the stored property.
  var type: String
  /// The type of a parameter, if it differs.
  var parameterType: String?
  /// Whether a caller may leave it out.
  var isOptional = false
  /// Whether a parameter has the default value nil.
  var hasDefault = false
  /// One sentence about the value.
  var summary: String
  /// More paragraphs about it.
  var notes: [String] = []
  /// What is passed to the model, or how an output is read.
  var expression: String

  var declaredType: String { isOptional ? optional(type) : type }

  /// The identifier as the label of an argument, where only one keyword needs quotation marks.
  var label: String { identifier == "`inout`" ? identifier : identifier.filter { $0 != "`" } }

  /// The property as a parameter of a function.
  func parameter(isStored: Bool) -> String {
    let type = isOptional ? optional(type) : isStored ? type : parameterType ?? type
    return "\(identifier): \(type)" + (hasDefault || (isStored && isOptional) ? " = nil" : "")
  }

  private func optional(_ type: String) -> String {
    type.hasPrefix("any ") ? "(\(type))?" : type + "?"
  }

  /// The paragraphs of the documentation after the summary.
  func paragraphs(callsItself role: String) -> [String] {
    identifier == name ? notes : notes + ["The \(role) \(SwiftText.code(name)) of model.json."]
  }
}

/// A type that is nested in a generated one.
struct NestedType {
  enum Content {
    /// A case for each label.
    case labels([String])
    /// Columns of a row.
    case row([Property])
    /// Measured numbers.
    case measurements([Property])
  }

  var name: String
  /// One sentence about the type.
  var summary: String
  var content: Content
}

/// What the generated code imports and uses, collected while its parts are described.
struct Ingredients {
  var usesData = false
  var decodes = false
  var encodes = false
  var nestedTypes: [NestedType] = []
  private var typeNames: Set<String> = []

  /// Adds an enumeration of labels, and returns its name; nil if the labels stay text.
  mutating func enumeration(
    _ labels: [String], of identifier: String, suffix: String = "Label",
    _ summary: String = "The labels, in the model's order."
  ) -> String? {
    guard !labels.isEmpty, labels.count <= GenerationOptions.mostCases,
      Set(labels).count == labels.count
    else { return nil }
    return add(.labels(labels), of: identifier, suffix: suffix, summary)
  }

  /// Adds a type, and returns its name, which no other one has.
  mutating func add(
    _ content: NestedType.Content, of identifier: String, suffix: String, _ summary: String
  ) -> String {
    let stem = Identifiers.typeName(of: identifier, suffix: suffix)
    var name = stem
    var number = 2
    while !typeNames.insert(name).inserted {
      name = stem + "\(number)"
      number += 1
    }
    nestedTypes.append(NestedType(name: name, summary: summary, content: content))
    return name
  }
}

extension DataType {
  /// The Swift type of an element.
  var swiftName: String {
    switch self {
    case .uint8: "UInt8"
    case .int8: "Int8"
    case .uint16: "UInt16"
    case .int16: "Int16"
    case .uint32: "UInt32"
    case .int32: "Int32"
    case .int64: "Int64"
    case .float16, .float32: "Float"
    case .float64: "Double"
    case .bool: "Bool"
    case .string: "String"
    }
  }
}
