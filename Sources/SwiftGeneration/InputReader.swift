// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Describes the inputs and placeholders of a bundle as properties.
struct InputReader {
  let bundle: ModelBundle
  var ingredients: Ingredients

  /// Whether one text is for all inputs.
  private var takesOneText: Bool {
    let inputs = bundle.manifest.inputs
    return inputs.count > 1 && inputs.allSatisfy { $0.coding?.type == "text" }
  }

  /// Whether inputs may be left out.
  ///
  /// Only the model shows which of its inputs have a default, or are only for training. A caller
  /// therefore passes nil for them.
  private var hasOptionalInputs: Bool {
    let manifest = bundle.manifest
    return manifest.inputs.count > 1
      && (manifest.describesTraining || bundle.backendName == "tensorflow")
  }

  /// Returns the inputs and the placeholders.
  mutating func read() -> (inputs: [Property], placeholders: [Property]) {
    var names = Identifiers(prefix: "input", reserved: ["modelInputs", "batchItem"])
    if takesOneText {
      ingredients.encodes = true
      let text = Property(
        name: "text", identifier: names.make("text"), type: "TensorIOEncoding.TextInput",
        summary: "A text, or a pair of texts, whose tokens are for all inputs.", expression: "text")
      return ([text], [])
    }
    let isOptional = hasOptionalInputs
    var inputs: [Property] = []
    for layer in bundle.manifest.inputs {
      var property = read(layer, &names)
      property.isOptional = isOptional
      if isOptional { property.notes.append("Pass nil if the model can run without it.") }
      inputs.append(property)
    }
    var placeholders: [Property] = []
    for layer in bundle.manifest.placeholders {
      var property = read(layer, &names)
      property.isOptional = true
      property.hasDefault = true
      property.notes.append("Without it, the model uses its own default, if it has one.")
      placeholders.append(property)
    }
    return (inputs, placeholders)
  }

  private mutating func read(
    _ layer: ModelManifest.Layer, _ names: inout Identifiers
  ) -> Property {
    let identifier = names.make(layer.name)
    var property = Property(
      name: layer.name, identifier: identifier, type: "", summary: "",
      expression: "self.\(identifier)")
    switch LayerContent(of: layer, in: bundle) {
    case .image, .classMap:
      property.type = "any TensorIO.ImageEncodable"
      property.parameterType = "some TensorIO.ImageEncodable"
      property.summary = "An image of any size."
      if case .imageInput(let shape, let preprocessing) = layer.kind {
        property.notes = [LayerText.preprocessing(shape, preprocessing)]
      }
    case .numbers(let type, let count):
      let element = type?.swiftName ?? "Int"
      property.type = count == 1 ? element : "[\(element)]"
      property.summary = LayerText.numbers(layer, count, element)
      property.notes = LayerText.quantization(layer)
    case .scores(let labels):
      property.type = "[Float]"
      property.summary = LayerText.numbers(layer, labels.count, "Float")
    case .texts(let count):
      property.type = count == 1 ? "String" : "[String]"
      property.summary = count == 1 ? "A text." : "\(count) texts."
    case .bytes:
      ingredients.usesData = true
      property.type = "Data"
      property.summary = LayerText.bytes(layer)
    case .coded(let coding, _): read(coding, layer, into: &property)
    }
    return property
  }

  private mutating func read(
    _ coding: LayerCoding, _ layer: ModelManifest.Layer, into property: inout Property
  ) {
    ingredients.encodes = true
    switch coding.type {
    case "audio":
      property.type = "TensorIOEncoding.AudioClip"
      let rate = coding.count("sample_rate").map { ", which is resampled to \($0) Hz" } ?? ""
      property.summary = "A recording\(rate)."
      if case .object(let features)? = coding.options["features"],
        case .string(let type)? = features["type"]
      {
        property.notes = ["The model sees `\(type)` features, shape \(layer.itemShape)."]
      }
    case "text":
      property.type = "TensorIOEncoding.TextInput"
      property.summary =
        "A text, which becomes \(counted(layer.elementCount, "token")) (`\(coding.text("part") ?? "ids")`)."
    default:
      let columns = columns(of: coding, owner: property.identifier)
      property.type = ingredients.add(
        .row(columns), of: property.identifier, suffix: "Row", "A row of a table.")
      property.summary = "A row of a table."
      property.expression += ".row"
    }
  }

  private mutating func columns(of coding: LayerCoding, owner: String) -> [Property] {
    var names = Identifiers(prefix: "column", reserved: ["row"])
    return coding.columns.map { column in
      let identifier = names.make(column.name)
      var property = Property(
        name: column.name, identifier: identifier, type: "Double", isOptional: column.isOptional,
        summary: "A number.", expression: ".number(self.\(identifier))")
      switch column.kind {
      case .number: break
      case .words(let words):
        property.type = "String"
        property.summary = "One of the words of the column."
        let capitalized = Identifiers.typeName(of: identifier, suffix: "")
        let type = ingredients.enumeration(
          words, of: owner, suffix: capitalized, "The words of a column.")
        property.type = type ?? "String"
        property.expression = ".string(self.\(identifier)\(type == nil ? "" : ".rawValue"))"
      case .text:
        property.type = "String"
        property.summary = "A word."
        property.expression = ".string(self.\(identifier))"
      }
      if column.isOptional {
        property.hasDefault = true
        property.notes = ["Without it, the model gets the value for missing cells."]
      }
      return property
    }
  }
}

extension ModelManifest.Layer {
  /// The shape of one item, without the batch axis.
  var itemShape: [Int] { Array(shape.first == -1 ? shape.dropFirst() : shape[...]) }

  /// How numbers become bytes; nil if they are passed as they are.
  var quantization: Quantization? {
    switch kind {
    case .array(let quantization, _), .scalar(let quantization): quantization
    case .imageInput, .imageOutput, .classMap, .string: nil
    }
  }
}
