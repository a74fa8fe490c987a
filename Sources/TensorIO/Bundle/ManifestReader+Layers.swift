// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ManifestReader {
  enum Direction { case input, output }

  mutating func read(
    _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> ModelManifest.Layer? {
    let name = requiredString("name", in: layer, at: path)
    let shape = readShape(layer, at: path)
    guard let type = requiredString("type", in: layer, at: path) else {
      checkWithoutType(layer, at: path)
      return nil
    }
    let kind: ModelManifest.Layer.Kind?
    switch type {
    case "array", "scalar": kind = readNumbers(type, layer, direction, at: path)
    case "string":
      check(keysOf: layer, type, direction, allowed: ["dtype"], at: path)
      kind = .string
    case "image": kind = readImage(layer, direction, shape: shape, at: path)
    case "audio" where direction == .input, "features" where direction == .input,
      "text" where direction == .input:
      kind = readNumbers(type, layer, direction, at: path)
    default:
      let known =
        ["array", "image", "string", "scalar"]
        + (direction == .input ? ["audio", "features", "text"] : [])
      reject(
        type, at: "\(path).type", expected: "one of \(known.joined(separator: ", "))",
        known: known, orSuggest: "Use a type from the list.")
      checkWithoutType(layer, at: path)
      return nil
    }
    let dataType = type == "image" ? nil : readDataType(layer, at: path)
    let coding: LayerCoding? =
      switch (type, direction) {
      case ("array", .output): readDecoding(layer, at: path)
      case ("audio", _): readAudio(layer, at: path)
      case ("features", _): readFeatures(layer, at: path)
      case ("text", _): readText(layer, at: path)
      default: nil
      }
    if type == "scalar", let shape, !shape.allSatisfy({ $0 == 1 || $0 == -1 }) {
      report(
        .badShape, at: "\(path).shape", expected: "a shape of one value", found: "\(shape)",
        suggestion: "Use [] or [1], or the type \"array\".")
    }
    guard let name, let shape, let kind else { return nil }
    return ModelManifest.Layer(
      name: name, shape: shape, dataType: dataType, kind: kind, coding: coding)
  }

  // MARK: - Shape and type

  private mutating func readShape(_ layer: [String: JSONValue], at path: String) -> [Int]? {
    let path = "\(path).shape"
    guard let value = required("shape", in: layer, at: String(path.dropLast(6))),
      let elements = array(value, at: path)
    else { return nil }
    let shape = elements.indices.compactMap {
      readLength(elements[$0], isFirst: $0 == 0, at: "\(path)[\($0)]")
    }
    return shape.count == elements.count ? shape : nil
  }

  private mutating func readLength(_ element: JSONValue, isFirst: Bool, at path: String) -> Int? {
    let number: Double
    switch element {
    case .number(let value) where value.rounded() == value: number = value
    case .integer(let value): number = Double(value)
    default:
      mistyped(element, at: path, expected: "an integer")
      return nil
    }
    guard
      (1...Double(ModelManifest.Layer.mostElements)).contains(number)
        || (number == -1 && isFirst)
    else {
      report(
        .badShape, at: path,
        expected: "a length from 1 to \(ModelManifest.Layer.mostElements), "
          + "or -1 for a batch axis, which must be the first",
        found: number.magnitude < 0x1p53 ? "\(Int(number))" : "\(number)",
        suggestion: "Write the length of the axis.")
      return nil
    }
    return Int(number)
  }

  private mutating func readDataType(_ layer: [String: JSONValue], at path: String) -> DataType? {
    guard let word = optionalString("dtype", in: layer, at: path) else { return nil }
    if let dataType = DataType(rawValue: word) { return dataType }
    let known = DataType.allCases.map(\.rawValue)
    reject(
      word, at: "\(path).dtype", expected: "one of \(known.joined(separator: ", "))", known: known,
      orSuggest: "Use a data type from the list.")
    return nil
  }

  /// The keys that only some layers can have.
  private static let keysOfSome =
    [
      "dtype", "labels", "quantize", "dequantize", "format", "normalize", "denormalize", "layout",
      "resize", "crop", "decode", "columns",
    ] + AudioKeys.ofLayers.keyNames + TextKeys.ofLayers.keyNames

  /// Checks as much as possible of a layer whose type is unknown.
  private mutating func checkWithoutType(_ layer: [String: JSONValue], at path: String) {
    reject(unknownKeysOf: layer, at: path, known: ["name", "type", "shape"] + Self.keysOfSome)
    _ = readDataType(layer, at: path)
  }

  /// Rejects keys that this layer cannot have.
  ///
  /// A key that another layer could have is reported as misplaced, and any other key as unknown.
  mutating func check(
    keysOf layer: [String: JSONValue], _ type: String, _ direction: Direction, allowed: [String],
    at path: String
  ) {
    let known = ["name", "type", "shape"] + allowed
    for key in layer.keys.sorted() where !known.contains(key) && Self.keysOfSome.contains(key) {
      let side = direction == .input ? "input" : "output"
      report(
        .misplacedKey, at: "\(path).\(key)",
        expected: "only \(known.joined(separator: ", ")) on an \(side) of type \(type)",
        found: "\"\(key)\"", suggestion: "Remove \"\(key)\"; it has no meaning on this layer.")
    }
    reject(unknownKeysOf: layer, at: path, known: known, ignored: Self.keysOfSome)
  }

  // MARK: - Arrays

  private mutating func readNumbers(
    _ type: String, _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> ModelManifest.Layer.Kind? {
    let key = direction == .input ? "quantize" : "dequantize"
    let hasLabels = direction == .output && type == "array"
    check(
      keysOf: layer, type, direction,
      allowed: ["dtype", key] + (hasLabels ? ["labels", "decode"] : [])
        + (type == "audio" ? AudioKeys.ofLayers.keyNames : [])
        + (type == "features" ? ["columns"] : [])
        + (type == "text" ? TextKeys.ofLayers.keyNames : []), at: path)
    if hasLabels, layer["labels"] != nil, layer["decode"] != nil {
      report(
        .conflictingKeys, at: "\(path).labels", expected: "\"labels\" or \"decode\"",
        found: "both", suggestion: "Move \"labels\" into \"decode\".")
    }
    let labels = hasLabels ? optionalString("labels", in: layer, at: path) : nil
    var quantization = readQuantization(key, layer, direction, at: path)
    if quantization != nil, isQuantized == false {
      quantization = nil
      report(
        .ignoredField, .warning, at: "\(path).\(key)",
        expected: "no \(key), since model.quantized is false", found: "one",
        suggestion: "Write \"quantized\": true, or remove it; it has no effect.")
    }
    return type == "scalar"
      ? .scalar(quantization) : .array(quantization, labelsFile: labels)
  }

  private mutating func readQuantization(
    _ key: String, _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> Quantization? {
    let path = "\(path).\(key)"
    guard let value = layer[key], let members = object(value, at: path),
      let form = readForm(members, at: path)
    else { return nil }
    let scale = members["scale"].flatMap { number($0, at: "\(path).scale") }
    let bias = members["bias"].flatMap { number($0, at: "\(path).bias") }
    switch form {
    case .standard(let word):
      switch (word, direction) {
      case ("[0,1]", .input): return .zeroToOne
      case ("[-1,1]", .input): return .minusOneToOne
      case ("[0,1]", .output): return .toZeroToOne
      case ("[-1,1]", .output): return .toMinusOneToOne
      case ("model", _): return .model
      default:
        reportStandard(word, at: path, known: "\"[0,1]\", \"[-1,1]\" or \"model\"")
        return nil
      }
    case .values:
      guard let scale, let bias else { return nil }
      return .linear(scale: scale, bias: bias)
    }
  }

  enum Form {
    case standard(String)
    case values
  }

  /// Determines whether the object has the form `standard` or the form `scale` and `bias`.
  ///
  /// If all three keys are present, `standard` wins.
  mutating func readForm(_ members: [String: JSONValue], at path: String) -> Form? {
    reject(unknownKeysOf: members, at: path, known: ["standard", "scale", "bias"])
    guard let standard = members["standard"] else {
      let missing = ["scale", "bias"].filter { members[$0] == nil }
      guard missing.isEmpty else {
        report(
          .missingKey, at: path, expected: "\"standard\", or \"scale\" and \"bias\"",
          found: members.isEmpty ? "{}" : "no \(missing.joined(separator: " and no "))",
          suggestion: "Add what is missing.")
        return nil
      }
      return .values
    }
    let word = string(standard, at: "\(path).standard")
    if (members["scale"] == nil) != (members["bias"] == nil) {
      report(
        .conflictingKeys, at: path, expected: "\"standard\" alone, or \"scale\" and \"bias\"",
        found: "\"standard\" with only one of \"scale\" and \"bias\"",
        suggestion: "Keep \"standard\", which takes precedence, and remove the other key.")
      return nil
    }
    if members["scale"] != nil {
      report(
        .ignoredField, .warning, at: path, expected: "\"standard\" alone",
        found: "\"standard\" with \"scale\" and \"bias\"",
        suggestion: "\"standard\" takes precedence; remove \"scale\" and \"bias\".")
    }
    return word.map(Form.standard)
  }

  mutating func reportStandard(_ word: String, at path: String, known: String) {
    reject(
      word, at: "\(path).standard", expected: known,
      orSuggest: "Use a known standard, or \"scale\" and \"bias\".")
  }
}
