// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Describes the outputs of a bundle as properties.
struct OutputReader {
  let bundle: ModelBundle
  var ingredients: Ingredients

  private var layers: [ModelManifest.Layer] { bundle.manifest.outputs }

  /// Returns the outputs, without those that only belong to another one's decoder.
  mutating func read() -> [Property] {
    let parts = Set(layers.compactMap(\.coding).flatMap { $0.outputs.values })
    var names = Identifiers(prefix: "output")
    return layers.filter { $0.coding != nil || !parts.contains($0.name) }.map { layer in
      let literal = SwiftText.literal(layer.name)
      var property = Property(
        name: layer.name, identifier: names.make(layer.name), type: "", summary: "",
        expression: "outputs[\(literal)]")
      read(layer, literal, into: &property)
      return property
    }
  }

  private mutating func read(
    _ layer: ModelManifest.Layer, _ literal: String, into property: inout Property
  ) {
    switch LayerContent(of: layer, in: bundle) {
    case .image:
      property.type = "TensorIO.PixelBuffer"
      property.summary = "An image."
      if case .imageOutput(let shape, _) = layer.kind {
        property.summary =
          "An image of \(shape.width) x \(shape.height) pixels, \(shape.format.rawValue)."
      }
    case .classMap(let labels): readMap(labels, layer, into: &property)
    case .numbers(let type, let count):
      let element = type?.swiftName ?? "Int"
      property.type = count == 1 ? element : "[\(element)]"
      property.summary = LayerText.numbers(layer, count, element)
      property.notes = LayerText.dequantization(layer)
    case .scores(let labels):
      let label = ingredients.enumeration(labels, of: property.identifier) ?? "String"
      property.type = "TensorIO.Scores<\(label)>"
      property.summary = "A value for each of \(counted(labels.count, "label"))."
      property.notes = LayerText.dequantization(layer)
    case .texts(let count):
      property.type = count == 1 ? "String" : "[String]"
      property.summary = count == 1 ? "A text." : "\(count) texts."
    case .bytes:
      ingredients.usesData = true
      property.type = "Data"
      property.summary = LayerText.bytes(layer)
    case .coded(let coding, let count):
      ingredients.decodes = true
      read(coding, count, literal, into: &property)
    }
  }

  private mutating func readMap(
    _ labels: Labels?, _ layer: ModelManifest.Layer, into property: inout Property
  ) {
    property.type = "TensorIO.ClassMap"
    property.summary = "A class for each pixel."
    if case .classMap(let shape, _) = layer.kind {
      property.summary = "A class for each of \(shape.width) x \(shape.height) pixels."
    }
    if let label = labels.flatMap({ ingredients.enumeration($0.names, of: property.identifier) }) {
      property.type = "TensorIO.LabelledClassMap<\(label)>"
    }
  }

  // MARK: - Decoded outputs

  private mutating func read(
    _ coding: LayerCoding, _ count: Int, _ literal: String, into property: inout Property
  ) {
    switch coding.type {
    case "binary":
      let label =
        coding.labels.flatMap { ingredients.enumeration($0.names, of: property.identifier) }
      property.type = "TensorIO.Scores<\(label ?? "String")>"
      property.summary = "The scores of two labels, which add up to 1."
      property.expression = "outputs.scores(\(literal))"
    case "multi-label":
      property.summary = "The labels above the threshold, best first."
      readLabelled("ScoredLabel", coding, "outputs.labels(\(literal))", into: &property)
    case "embedding":
      property.type = "TensorIO.Embedding"
      property.summary = "A vector that describes the input."
      property.expression = "outputs.embedding(\(literal))"
    case "depth":
      property.type = "TensorIO.DepthMap"
      property.summary = "A number for each pixel."
      property.expression = "outputs.depth(\(literal))"
    case "ctc", "tokens":
      property.type = "TensorIO.RecognizedText"
      property.summary = "A text."
      property.expression = "outputs.text(\(literal))"
    case "ordinal", "reconstruction":
      property.type = "Double"
      property.summary = coding.type == "ordinal" ? "A rank." : "The difference from the input."
      property.expression = "outputs.measurement(\(literal)).value"
    case "regression": readMeasurements(coding, count, literal, into: &property)
    default:
      property.summary =
        "The objects or poses that the model finds, best first, in pixels of the image."
      readLabelled("Detection", coding, "outputs.objects(\(literal))", into: &property)
    }
    if let unit = coding.text("unit"), !unit.isEmpty { property.notes.append("Unit: \(unit)") }
  }

  private mutating func readLabelled(
    _ result: String, _ coding: LayerCoding, _ expression: String, into property: inout Property
  ) {
    property.type = "[TensorIO.\(result)]"
    property.expression = expression
    guard let labels = coding.labels?.names,
      let label = ingredients.enumeration(labels, of: property.identifier)
    else { return }
    property.type = "[TensorIO.Labelled<TensorIO.\(result), \(label)>]"
  }

  private mutating func readMeasurements(
    _ coding: LayerCoding, _ count: Int, _ literal: String, into property: inout Property
  ) {
    let units = coding.texts("units") ?? []
    func note(_ index: Int) -> [String] {
      units.indices.contains(index) && !units[index].isEmpty ? ["Unit: \(units[index])"] : []
    }
    guard let names = coding.texts("names"), names.count == count else {
      property.type = count == 1 ? "Double" : "[Double]"
      property.summary = count == 1 ? "A number." : "\(count) numbers."
      property.notes = count == 1 ? note(0) : []
      property.expression =
        count == 1
        ? "outputs.measurement(\(literal)).value" : "outputs.measurements(\(literal)).map(\\.value)"
      return
    }
    var identifiers = Identifiers(prefix: "number")
    let numbers = names.enumerated().map { index, name in
      Property(
        name: name, identifier: identifiers.make(name), type: "Double", summary: "A number.",
        notes: note(index), expression: "numbers[\(index)].value")
    }
    property.summary = "\(counted(count, "number")) with names."
    property.type = ingredients.add(
      .measurements(numbers), of: property.identifier, suffix: "Values", "Numbers with names.")
    property.expression = "\(property.type)(outputs.measurements(\(literal)))"
  }
}
