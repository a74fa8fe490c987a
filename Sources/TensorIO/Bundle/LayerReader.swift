// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads one layer of model.json.
struct LayerReader: IssueCollector {
  enum Direction { case input, output }

  /// Whether `model.quantized` is true.
  let isQuantized: Bool
  private var issues: [BundleIssue] = []

  init(isQuantized: Bool) { self.isQuantized = isQuantized }

  mutating func add(_ issue: BundleIssue) { issues.append(issue) }

  mutating func takeIssues() -> [BundleIssue] {
    defer { issues = [] }
    return issues
  }

  mutating func read(
    _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> ModelManifest.Layer? {
    let name = requiredString("name", in: layer, at: path)
    let shape = readShape(layer, at: path)
    guard let type = requiredString("type", in: layer, at: path) else { return nil }
    let kind: ModelManifest.Layer.Kind?
    switch type {
    case "array", "scalar": kind = readNumbers(type, layer, direction, at: path)
    case "string":
      check(keysOf: layer, type, direction, allowed: ["dtype"], at: path)
      kind = .string
    case "image": kind = readImage(layer, direction, shape: shape, at: path)
    default:
      report(
        .unknownValue, at: "\(path).type", expected: "array, image, string or scalar",
        found: "\"\(type)\"", mending: "Use one of the four types.")
      return nil
    }
    let dataType = type == "image" ? nil : readDataType(layer, at: path)
    if type == "scalar", let shape, shape.drop(while: { $0 == -1 }).reduce(1, *) != 1 {
      report(
        .badShape, at: "\(path).shape", expected: "a shape of one value", found: "\(shape)",
        mending: "Use [] or [1], or the type \"array\".")
    }
    guard let name, let shape, let kind else { return nil }
    return ModelManifest.Layer(name: name, shape: shape, dataType: dataType, kind: kind)
  }

  // MARK: - Shape and type

  private mutating func readShape(_ layer: [String: JSONValue], at path: String) -> [Int]? {
    let path = "\(path).shape"
    guard let value = required("shape", in: layer, at: String(path.dropLast(6))),
      let elements = array(value, at: path)
    else { return nil }
    var shape: [Int] = []
    for (index, element) in elements.enumerated() {
      guard case .number(let number) = element, let length = Int(exactly: number) else {
        report(
          .wrongType, at: "\(path)[\(index)]", expected: "an integer", found: element.typeName,
          mending: "A shape is made of whole numbers.")
        return nil
      }
      guard length > 0 || (length == -1 && index == 0) else {
        report(
          .badShape, at: "\(path)[\(index)]",
          expected: "a positive length, or -1 for the batch axis in the first place",
          found: "\(length)", mending: "Write the length of the axis.")
        return nil
      }
      shape.append(length)
    }
    var count = 1
    for length in shape where length > 0 {
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      guard !overflow, product <= Self.mostElements else {
        report(
          .badShape, at: path, expected: "\(Self.mostElements) elements at most",
          found: "\(shape)", mending: "Check the lengths of the axes.")
        return nil
      }
      count = product
    }
    return shape
  }

  /// 2^31 - 1: what a tensor of the runtimes can count.
  private static let mostElements = Int(Int32.max)

  private mutating func readDataType(_ layer: [String: JSONValue], at path: String) -> DataType? {
    guard let word = optionalString("dtype", in: layer, at: path) else { return nil }
    if let dataType = DataType(rawValue: word) { return dataType }
    report(
      .unknownValue, at: "\(path).dtype",
      expected: "one of \(DataType.allCases.map(\.rawValue).joined(separator: ", "))",
      found: "\"\(word)\"", mending: "Use a data type of the list.")
    return nil
  }

  /// Rejects keys that this layer cannot have: misplaced where another layer could, else unknown.
  private mutating func check(
    keysOf layer: [String: JSONValue], _ type: String, _ direction: Direction, allowed: [String],
    at path: String
  ) {
    let known = ["name", "type", "shape"] + allowed
    let elsewhere = [
      "dtype", "labels", "quantize", "dequantize", "format", "normalize", "denormalize",
    ]
    for key in layer.keys.sorted() where !known.contains(key) && elsewhere.contains(key) {
      let side = direction == .input ? "input" : "output"
      report(
        .misplacedKey, at: "\(path).\(key)",
        expected: "only \(known.joined(separator: ", ")) on an \(side) of type \(type)",
        found: "\"\(key)\"", mending: "Remove \"\(key)\"; it has no meaning on this layer.")
    }
    reject(unknownKeysOf: layer, at: path, known: known + elsewhere)
  }

  // MARK: - Arrays

  private mutating func readNumbers(
    _ type: String, _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> ModelManifest.Layer.Kind? {
    let key = direction == .input ? "quantize" : "dequantize"
    let hasLabels = direction == .output && type == "array"
    check(
      keysOf: layer, type, direction, allowed: ["dtype", key] + (hasLabels ? ["labels"] : []),
      at: path)
    let labels = hasLabels ? optionalString("labels", in: layer, at: path) : nil
    let quantization = readQuantization(key, layer, direction, at: path)
    return type == "array"
      ? .array(quantization, labelsFile: labels) : .scalar(quantization)
  }

  private mutating func readQuantization(
    _ key: String, _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> Quantization? {
    let path = "\(path).\(key)"
    guard let value = layer[key], let members = object(value, at: path),
      let form = readForm(members, at: path)
    else { return nil }
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
      guard let scale = requiredNumber("scale", in: members, at: path),
        let bias = requiredNumber("bias", in: members, at: path)
      else { return nil }
      return .linear(scale: scale, bias: bias)
    }
  }

  private enum Form {
    case standard(String)
    case values
  }

  /// Tells the two forms apart, `standard` or `scale` and `bias`; of all three `standard` wins.
  private mutating func readForm(_ members: [String: JSONValue], at path: String) -> Form? {
    reject(unknownKeysOf: members, at: path, known: ["standard", "scale", "bias"])
    guard let standard = members["standard"] else {
      let missing = ["scale", "bias"].filter { members[$0] == nil }
      guard missing.isEmpty else {
        report(
          .missingKey, at: path, expected: "\"standard\", or \"scale\" and \"bias\"",
          found: members.isEmpty ? "{}" : "no \(missing.joined(separator: " and no "))",
          mending: "Add what is missing.")
        return nil
      }
      return .values
    }
    let word = string(standard, at: "\(path).standard")
    if (members["scale"] == nil) != (members["bias"] == nil) {
      report(
        .conflictingKeys, at: path, expected: "\"standard\" alone, or \"scale\" and \"bias\"",
        found: "\"standard\" with half of the other form",
        mending: "Keep \"standard\", which wins, and remove the other key.")
      return nil
    }
    if members["scale"] != nil {
      report(
        .ignoredField, .warning, at: path, expected: "\"standard\" alone",
        found: "\"standard\" with \"scale\" and \"bias\"",
        mending: "\"standard\" wins; remove \"scale\" and \"bias\".")
    }
    return word.map(Form.standard)
  }

  private mutating func reportStandard(_ word: String, at path: String, known: String) {
    report(
      .unknownValue, at: "\(path).standard", expected: known, found: "\"\(word)\"",
      mending: "Use a known standard, or \"scale\" and \"bias\".")
  }

  // MARK: - Images

  private mutating func readImage(
    _ layer: [String: JSONValue], _ direction: Direction, shape: [Int]?, at path: String
  ) -> ModelManifest.Layer.Kind? {
    let key = direction == .input ? "normalize" : "denormalize"
    check(keysOf: layer, "image", direction, allowed: ["format", key], at: path)
    let word = requiredString("format", in: layer, at: path)
    let format = word.flatMap(ImageShape.Format.init(rawValue:))
    if let word, format == nil {
      report(
        .unknownValue, at: "\(path).format", expected: "\"RGB\" or \"BGR\"", found: "\"\(word)\"",
        mending: "Name the order of the channels.")
    }
    let values = readNormalization(key, layer, direction, at: path)
    guard let shape else { return nil }
    let axes = shape.first == -1 ? Array(shape.dropFirst()) : shape
    guard axes.count == 3, axes[2] == 3 else {
      report(
        .badShape, at: "\(path).shape", expected: "[height, width, 3], or [-1, height, width, 3]",
        found: "\(shape)", mending: "Write the shape of one picture of three channels.")
      return nil
    }
    guard let format else { return nil }
    let image = ImageShape(height: axes[0], width: axes[1], channels: axes[2], format: format)
    return switch direction {
    case .input:
      .imageInput(image, values.map { PixelNormalization(scale: $0.scale, bias: $0.bias) })
    case .output:
      .imageOutput(image, values.map { PixelDenormalization(scale: $0.scale, bias: $0.bias) })
    }
  }

  private mutating func readNormalization(
    _ key: String, _ layer: [String: JSONValue], _ direction: Direction, at path: String
  ) -> (scale: Float, bias: ColorBias)? {
    let path = "\(path).\(key)"
    guard let value = layer[key], let members = object(value, at: path),
      let form = readForm(members, at: path)
    else { return nil }
    switch form {
    case .standard(let word):
      switch (word, direction) {
      case ("[0,1]", .input): return Self.parts(PixelNormalization.zeroToOne)
      case ("[-1,1]", .input): return Self.parts(PixelNormalization.minusOneToOne)
      case ("[0,1]", .output): return Self.parts(PixelDenormalization.zeroToOne)
      case ("[-1,1]", .output): return Self.parts(PixelDenormalization.minusOneToOne)
      default:
        reportStandard(word, at: path, known: "\"[0,1]\" or \"[-1,1]\"")
        return nil
      }
    case .values:
      let scale = requiredNumber("scale", in: members, at: path)
      guard let value = members["bias"], let bias = object(value, at: "\(path).bias") else {
        return nil
      }
      reject(unknownKeysOf: bias, at: "\(path).bias", known: ["r", "g", "b"])
      let red = requiredNumber("r", in: bias, at: "\(path).bias")
      let green = requiredNumber("g", in: bias, at: "\(path).bias")
      let blue = requiredNumber("b", in: bias, at: "\(path).bias")
      guard let scale, let red, let green, let blue else { return nil }
      return (scale, ColorBias(red: red, green: green, blue: blue))
    }
  }

  private static func parts(_ value: PixelNormalization) -> (scale: Float, bias: ColorBias) {
    (value.scale, value.bias)
  }

  private static func parts(_ value: PixelDenormalization) -> (scale: Float, bias: ColorBias) {
    (value.scale, value.bias)
  }
}
