// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads a parsed model.json into a ``ModelManifest`` and collects every violation of its schema.
///
/// It accepts exactly what `Schemas/model.schema.json` accepts, which the tests verify.
struct ManifestReader: IssueCollector {
  /// The value of `model.quantized`; nil when it cannot be read.
  ///
  /// The layers need it even if the rest of `model` is invalid.
  var isQuantized: Bool?
  var issues: [BundleIssue] = []
  /// What inputs of the type `text` share, by the options of their tokenizers.
  var tokenizers: [[String: JSONValue]: SharedPreparation] = [:]

  /// Reads a document; returns nil when it has violations, which are then in ``issues``.
  mutating func read(_ document: JSONValue) -> ModelManifest? {
    guard let root = object(document, at: "") else { return nil }
    reject(
      unknownKeysOf: root, at: "",
      known: [
        "name", "details", "id", "version", "author", "license", "model", "inputs", "outputs",
        "options", "train", "placeholder", "placeholders",
      ])
    let name = requiredString("name", in: root, at: "")
    let details = requiredString("details", in: root, at: "")
    let id = requiredString("id", in: root, at: "")
    let version = requiredString("version", in: root, at: "")
    let author = requiredString("author", in: root, at: "")
    let license = requiredString("license", in: root, at: "")
    let isPlaceholder = optionalBool("placeholder", in: root, at: "") ?? false
    let model = readModel(root)
    if case .object(let model) = root["model"], case .bool(let quantized) = model["quantized"] {
      isQuantized = quantized
    }
    let inputs = readLayers("inputs", .input, in: root, required: true)
    let outputs = readLayers("outputs", .output, in: root, required: true)
    let placeholders = readLayers("placeholders", .input, in: root, required: false)
    let options = readOptions(root)
    let trainingOperations = readTrain(root)
    guard issues.allSatisfy({ $0.severity != .error }),
      let name, let details, let id, let version, let author, let license, let model
    else { return nil }
    return ModelManifest(
      name: name, details: details, id: id, version: version, author: author, license: license,
      model: model, inputs: inputs, outputs: outputs, placeholders: placeholders,
      isPlaceholder: isPlaceholder, options: options, trainingOperations: trainingOperations)
  }

  private mutating func readModel(_ root: [String: JSONValue]) -> ModelManifest.ModelFile? {
    guard let value = required("model", in: root, at: ""), let model = object(value, at: "model")
    else { return nil }
    reject(
      unknownKeysOf: model, at: "model",
      known: ["file", "quantized", "backend", "type", "class", "modes", "signature", "weights"])
    let file = requiredString("file", in: model, at: "model")
    let isQuantized = requiredBool("quantized", in: model, at: "model")
    let backend = optionalString("backend", in: model, at: "model")
    if let backend, !["tflite", "tensorflow"].contains(backend) {
      reject(
        backend, at: "model.backend", expected: "\"tflite\" or \"tensorflow\"",
        known: ["tflite", "tensorflow"], orSuggest: "Name one of the two backends.")
    }
    let type = optionalString("type", in: model, at: "model")
    let className = optionalString("class", in: model, at: "model")
    let modes = readModes(model)
    let signature = optionalString("signature", in: model, at: "model")
    let weights = optionalString("weights", in: model, at: "model")
    guard let file, let isQuantized else { return nil }
    return ModelManifest.ModelFile(
      file: file, isQuantized: isQuantized, backend: backend, type: type, className: className,
      modes: modes, signature: signature, weights: weights)
  }

  private mutating func readModes(_ model: [String: JSONValue]) -> ModelModes {
    guard let value = model["modes"], let elements = array(value, at: "model.modes") else {
      return .predict
    }
    var modes: ModelModes = []
    for (index, element) in elements.enumerated() {
      let path = "model.modes[\(index)]"
      switch string(element, at: path) {
      case "predict": modes.insert(.predict)
      case "train": modes.insert(.train)
      case "eval": modes.insert(.evaluate)
      case let word?:
        reject(
          word, at: path, expected: "\"predict\", \"train\" or \"eval\"",
          known: ["predict", "train", "eval"], orSuggest: "Use one of the three modes.")
      case nil: break
      }
    }
    return modes.isEmpty ? .predict : modes
  }

  private mutating func readLayers(
    _ key: String, _ direction: Direction, in root: [String: JSONValue], required isRequired: Bool
  ) -> [ModelManifest.Layer] {
    guard isRequired || root[key] != nil else { return [] }
    guard let value = required(key, in: root, at: ""), let elements = array(value, at: key)
    else { return [] }
    return elements.enumerated().compactMap { index, element in
      let path = "\(key)[\(index)]"
      return object(element, at: path).flatMap { read($0, direction, at: path) }
    }
  }

  private mutating func readOptions(_ root: [String: JSONValue]) -> ModelOptions {
    guard let value = root["options"], let options = object(value, at: "options") else {
      return ModelOptions()
    }
    let position = optionalString("device_position", in: options, at: "options")
    let format = optionalString("output_format", in: options, at: "options")
    let devicePosition = position.flatMap(ModelOptions.DevicePosition.init(rawValue:))
    if let position, devicePosition == nil {
      reject(
        position, at: "options.device_position", expected: "\"front\" or \"back\"",
        orSuggest: "Name one of the two cameras.")
    }
    return ModelOptions(devicePosition: devicePosition, outputFormat: format, values: options)
  }

  private mutating func readTrain(_ root: [String: JSONValue]) -> [String] {
    guard let value = root["train"], let train = object(value, at: "train") else { return [] }
    reject(unknownKeysOf: train, at: "train", known: ["ops"])
    guard let ops = required("ops", in: train, at: "train"), let names = array(ops, at: "train.ops")
    else { return [] }
    if names.isEmpty {
      report(
        .missingKey, at: "train.ops", expected: "the name of at least one operation",
        found: "an empty array", suggestion: "Name the operations that a training step runs.")
    }
    return names.enumerated().compactMap { string($1, at: "train.ops[\($0)]") }
  }
}
