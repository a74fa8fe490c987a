// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO
import TensorIOEncoding

/// What a model takes, which decides what the page asks for.
enum ModelSubject: String, Sendable {
  case image, recording
  /// Numbers, words and texts, which people type into fields.
  case fields

  /// Returns what a model takes, or nil if it takes several inputs and one is an image or a recording.
  init?(of manifest: ModelManifest) {
    let inputs = manifest.inputs
    if inputs.count == 1, inputs[0].isImage {
      self = .image
    } else if inputs.count == 1, inputs[0].coding?.type == "audio" {
      self = .recording
    } else if inputs.isEmpty || inputs.contains(where: { $0.isImage || $0.coding?.type == "audio" })
    {
      return nil
    } else {
      self = .fields
    }
  }
}

extension ModelManifest.Layer {
  fileprivate var isImage: Bool { if case .imageInput = kind { true } else { false } }
}

/// Something that a person fills in, to run a model.
struct InputField: Sendable {
  enum Form: Sendable {
    case text
    case number
    /// Numbers in the order of a tensor's elements.
    case numbers(count: Int, shape: [Int])
    case word([String])
  }

  /// The most numbers that are filled in at first.
  private static let mostNumbers = 64

  var name: String
  var form: Form
  /// A value to begin with.
  var typical: JSONValue
  var isRequired = true

  /// The fields of a model: its texts, the columns of its `features`, and its other inputs.
  static func fields(of inputs: [TensorSpec]) throws -> [InputField] {
    if inputs.allSatisfy(\.isText) {
      let text = InputField(name: "text", form: .text, typical: .string(""))
      // Only the tokenizers of pairs have an input that tells the two texts apart.
      guard inputs.contains(where: { $0.coding?.text("part") == "types" }) else { return [text] }
      return [
        text, InputField(name: "second", form: .text, typical: .string(""), isRequired: false),
      ]
    }
    return try inputs.flatMap { spec -> [InputField] in
      if spec.isFeatures { return try spec.featureColumns().map(column) }
      if spec.isText || spec.dataType == .string {
        return [InputField(name: spec.name, form: .text, typical: .string(""))]
      }
      if spec.elementCount == 1 {
        return [InputField(name: spec.name, form: .number, typical: .integer(0))]
      }
      let count = spec.elementCount
      let zeros = count <= mostNumbers ? Array(repeating: JSONValue.integer(0), count: count) : []
      return [
        InputField(
          name: spec.name, form: .numbers(count: count, shape: spec.itemShape),
          typical: .array(zeros))
      ]
    }
  }

  private static func column(_ column: FeatureColumn) -> InputField {
    // A word of a long list is typed.
    let form = column.words.map { column.hasMoreWords ? Form.text : .word($0) } ?? .number
    return InputField(
      name: column.name, form: form, typical: column.typical, isRequired: column.isRequired)
  }

  var json: JSONObject {
    var json: JSONObject = ["name": name, "typical": typical, "is_required": isRequired]
    switch form {
    case .text: json.set("form", "text")
    case .number: json.set("form", "number")
    case .numbers(let count, let shape):
      json.set("form", "numbers")
      json.set("count", count)
      json.set("shape", shape)
    case .word(let words):
      json.set("form", "word")
      json.set("words", words)
    }
    return json
  }
}

extension TableRow {
  /// Makes a row of what was filled in.
  ///
  /// - Parameters:
  ///   - values: The values by the names of the fields. Empty optional ones may be missing.
  ///   - fields: The fields of the model.
  /// - Throws: ``WebError`` if a value belongs to no field.
  init(_ values: [String: JSONValue], _ fields: [InputField]) throws {
    let known = Set(fields.map(\.name))
    if let unknown = values.keys.filter({ !known.contains($0) }).min() {
      throw WebError.badRequest(
        "The model has no field '\(unknown.prefix(100))'. Its fields are "
          + fields.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ") + ".")
    }
    let filled = fields.filter { field in
      let value = values[field.name] ?? .null
      return field.isRequired || (value != .null && value != .string(""))
    }
    self.init(
      columns: filled.map(\.name), cells: filled.map { values[$0.name] ?? .null })
  }
}
#endif
