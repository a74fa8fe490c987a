// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks a bundle step by step and collects every issue on the way.
struct BundleValidator: IssueCollector {
  let path: String
  var issues: [BundleIssue] = []
  private var labels: [String: Labels] = [:]

  init(path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Runs all checks; returns nil when the bundle cannot be described at all.
  mutating func run(check: ((ModelManifest) -> [BundleIssue])?) -> ModelBundle? {
    guard checkFolder(), let document = readDocument() else { return nil }
    var reader = ManifestReader()
    let manifest = reader.read(document)
    issues += reader.issues
    guard let manifest else { return nil }
    checkNames(manifest)
    guard checkElementCounts(manifest) else { return nil }
    checkModelFile(manifest)
    checkLabels(manifest)
    checkDecoders(manifest)
    checkFeatures(manifest)
    checkTraining(manifest)
    issues += check?(manifest) ?? []
    let warnings = issues.filter { $0.severity == .warning }
    return ModelBundle(path: path, manifest: manifest, warnings: warnings, labels: labels)
  }

  private mutating func checkFolder() -> Bool {
    guard FileSystem.isFolder(path) else {
      report(
        .notFound, at: path, expected: "a folder",
        found: FileSystem.isFile(path) ? "a file" : "nothing",
        suggestion: "Pass the path of a .tiobundle folder.")
      return false
    }
    let name = FileSystem.name(of: path)
    if name.hasSuffix(".tfbundle") {
      report(
        .deprecatedExtension, .warning, at: name, expected: "the extension .tiobundle",
        found: ".tfbundle", suggestion: "Rename the folder; support for .tfbundle will be removed.")
    } else if !name.hasSuffix(".tiobundle") {
      report(
        .wrongExtension, at: name, expected: "the extension .tiobundle",
        found: "a folder without it", suggestion: "Rename the folder.")
      return false
    }
    return true
  }

  private mutating func readDocument() -> JSONValue? {
    let file = path + "/model.json"
    guard FileSystem.isFile(file) else {
      report(
        .noManifest, at: "model.json", expected: "a file named model.json in the bundle",
        found: "nothing", suggestion: "Write it, or have 'tensorio init' make it from the model.")
      return nil
    }
    do {
      let data = try FileSystem.read(file)
      let document = try JSONValue(parsing: data)
      checkKeys(data, document)
      return document
    } catch let error as JSONSyntaxError {
      report(
        .malformedJSON, at: "model.json", expected: "a JSON document", found: "\(error)",
        suggestion: "Fix the text at that position.")
    } catch {
      report(
        .noManifest, at: "model.json", expected: "a readable file", found: "\(error)",
        suggestion: "Make it a regular file that you have permission to read.")
    }
    return nil
  }

  /// Checks that no object has a key twice, of which readers of JSON take either the first or the last.
  private mutating func checkKeys(_ data: Data, _ document: JSONValue) {
    // Each member has a colon outside of texts. Only an outline, which is slow, names the keys.
    var (colons, isInText, isEscaped) = (0, false, false)
    for byte in data {
      if isEscaped {
        isEscaped = false
      } else if isInText {
        isEscaped = byte == UInt8(ascii: "\\")
        if byte == UInt8(ascii: "\"") { isInText = false }
      } else if byte == UInt8(ascii: "\"") {
        isInText = true
      } else if byte == UInt8(ascii: ":") {
        colons += 1
      }
    }
    guard colons != document.memberCount else { return }
    for key in JSONOutline(data)?.repeatedKeys() ?? [] {
      report(
        .duplicateName, at: key, expected: "each key once", found: "the key twice",
        suggestion: "Remove one of the two.")
    }
  }

  private mutating func checkNames(_ manifest: ModelManifest) {
    var (fed, read): (Set<String>, Set<String>) = ([], [])
    for (key, layers) in manifest.layers {
      for (index, layer) in layers.enumerated() {
        let isFirst =
          key == "outputs" ? read.insert(layer.name).inserted : fed.insert(layer.name).inserted
        if isFirst { continue }
        report(
          .duplicateName, at: "\(key)[\(index)].name", expected: "a unique name",
          found: "\"\(layer.name)\" again", suggestion: "Give each layer a different name.")
      }
    }
  }

  /// Checks the product of the lengths of each shape, which a JSON Schema cannot express.
  ///
  /// - Returns: Whether all products are small enough. The other checks are skipped if one isn't.
  private mutating func checkElementCounts(_ manifest: ModelManifest) -> Bool {
    var areCountable = true
    for (key, layers) in manifest.layers {
      for (index, layer) in layers.enumerated() {
        var count = 1
        for length in layer.shape where length > 0 && count <= ModelManifest.Layer.mostElements {
          count *= length
        }
        guard count > ModelManifest.Layer.mostElements else { continue }
        areCountable = false
        report(
          .badShape, at: "\(key)[\(index)].shape",
          expected: "at most \(ModelManifest.Layer.mostElements) elements",
          found: "\(layer.shape)", suggestion: "Check the lengths of the axes.")
      }
    }
    return areCountable
  }

  private mutating func checkModelFile(_ manifest: ModelManifest) {
    guard !manifest.isPlaceholder else { return }
    let file = manifest.model.file
    guard FileSystem.staysInside(file) else {
      report(
        .pathOutsideBundle, at: "model.file", expected: "a path inside the bundle",
        found: "\"\(file)\"", suggestion: "Put the model into the bundle, and write its path there."
      )
      return
    }
    let modelPath = path + "/" + file
    guard !file.isEmpty, FileSystem.isFile(modelPath) || FileSystem.isFolder(modelPath) else {
      report(
        .missingModelFile, at: "model.file", expected: "a file or folder \"\(file)\" in the bundle",
        found: foundModels,
        suggestion: "Add the model, or correct the name in model.file.")
      return
    }
    let kind = ModelBundle.backendName(ofFileAt: modelPath)
    if (manifest.model.backend ?? kind) == "tflite", FileSystem.isFolder(modelPath) {
      report(
        .missingModelFile, at: "model.file", expected: "a file \"\(file)\"", found: "a folder",
        suggestion: "Put the .tflite file itself into the bundle.")
      return
    }
    checkBackend(manifest, kind: kind)
    checkWeights(manifest, backend: manifest.model.backend ?? kind)
  }

  private mutating func checkWeights(_ manifest: ModelManifest, backend: String?) {
    guard let weights = manifest.model.weights else { return }
    guard FileSystem.staysInside(weights), !weights.isEmpty else {
      report(
        .pathOutsideBundle, at: "model.weights", expected: "a path inside the bundle",
        found: "\"\(weights)\"",
        suggestion: "Put the file into the bundle, and write its path there.")
      return
    }
    guard FileSystem.isFile(path + "/" + weights) else {
      report(
        .missingModelFile, at: "model.weights",
        expected: "a safetensors file \"\(weights)\" in the bundle", found: "no such file",
        suggestion: "Add the file, or remove \"weights\" to use the weights of the model file.")
      return
    }
    guard backend == "tensorflow" else { return }
    report(
      .unsupportedByBackend, at: "model.weights",
      expected: "no \"weights\", because a SavedModel has its weights in its own folder",
      found: "\"\(weights)\"", suggestion: "Remove \"weights\".")
  }

  /// The models that the bundle has under other names, for the error message.
  private var foundModels: String {
    do {
      let names = try FileSystem.contents(of: path).filter {
        $0.hasSuffix(".tflite") || FileSystem.isFile(path + "/" + $0 + "/saved_model.pb")
      }
      return names.isEmpty
        ? "no model" : names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    } catch {
      return "\(error)"
    }
  }

  private mutating func checkBackend(_ manifest: ModelManifest, kind: String?) {
    switch (manifest.model.backend, kind) {
    case (nil, nil):
      report(
        .unknownBackend, at: "model.backend",
        expected: "\"tflite\" or \"tensorflow\", because the model file doesn't show which",
        found: "nothing", suggestion: "Add \"backend\", or name the file *.tflite.")
    case (let named?, let kind?) where named != kind:
      report(
        .unknownBackend, at: "model.backend", expected: "\"\(kind)\", which fits the model file",
        found: "\"\(named)\"", suggestion: "Correct \"backend\" or \"file\".")
    default: break
    }
  }

  private mutating func checkLabels(_ manifest: ModelManifest) {
    for (index, layer) in manifest.outputs.enumerated() {
      guard let file = layer.labelsFile ?? layer.coding?.text("labels") else { continue }
      let path = "outputs[\(index)].\(layer.coding == nil ? "" : "decode.")labels"
      guard FileSystem.staysInside(file), !file.isEmpty else {
        report(
          .pathOutsideBundle, at: path, expected: "the name of a file in assets/",
          found: "\"\(file)\"",
          suggestion: "Put the labels into assets/, and write the file's name.")
        continue
      }
      guard let labels = readLabels(file, at: path) else { continue }
      self.labels[file] = labels
      // The number of a decoder's classes depends on its tensors, so the decoder checks it.
      if layer.coding == nil { check(labels, against: layer, at: path) }
    }
  }

  private mutating func readLabels(_ file: String, at path: String) -> Labels? {
    let found: String
    do {
      let data = try FileSystem.read(self.path + "/assets/" + file)
      if let text = String(validating: data, as: UTF8.self) { return Labels(text: text) }
      found = "bytes that aren't UTF-8"
    } catch let error as TensorIOError where error.code == .fileNotFound {
      found = "nothing"
    } catch {
      found = "\(error)"
    }
    report(
      .missingLabels, at: path, expected: "a text file assets/\(file) in UTF-8", found: found,
      suggestion: "Add the file, with one label per line.")
    return nil
  }

  private mutating func check(_ labels: Labels, against layer: ModelManifest.Layer, at path: String)
  {
    var values = layer.elementCount
    var thing = "value"
    if case .classMap(let shape, _) = layer.kind {
      // The class indices that occur are only known after the model has run.
      guard shape.holdsScores else { return }
      values = shape.depth
      thing = "class"
    }
    let names = labels.names.count
    guard names != values else { return }
    report(
      names < values ? .tooFewLabels : .tooManyLabels,
      names < values || thing == "class" ? .error : .warning,
      at: path, expected: "\(values) labels, one for each \(thing) of '\(layer.name)'",
      found: "\(names)",
      suggestion: names < values
        ? "Add the missing labels in the model's order, or correct the shape."
        : "Correct the shape, or remove the labels that have no \(thing).")
  }

  private func backend(of manifest: ModelManifest) -> String? {
    manifest.model.backend ?? ModelBundle.backendName(ofFileAt: path + "/" + manifest.model.file)
  }

  private mutating func checkFeatures(_ manifest: ModelManifest) {
    let backend = backend(of: manifest)
    guard backend == "tflite", !manifest.isPlaceholder, !manifest.describesTraining else { return }
    // Whether a file can be trained is only known after it is loaded.
    if manifest.model.modes.contains(.evaluate), !manifest.model.modes.contains(.train) {
      report(
        .unsupportedByBackend, at: "model.modes", expected: "[\"predict\"], or no \"modes\"",
        found: "\"eval\" without \"train\", which TensorFlow Lite models don't support",
        suggestion: "Remove \"eval\" from \"modes\"; `tensorio evaluate` works without it.")
    }
    if !manifest.placeholders.isEmpty {
      report(
        .unsupportedByBackend, at: "placeholders",
        expected: "no placeholders, because a TensorFlow Lite model has them only for training",
        found: "\(manifest.placeholders.count)", suggestion: "Describe them as inputs.")
    }
  }

  private mutating func checkTraining(_ manifest: ModelManifest) {
    let backend = backend(of: manifest)
    guard backend != nil, !manifest.isPlaceholder, manifest.model.modes.contains(.train),
      manifest.trainingOperations.isEmpty
    else { return }
    let names = backend == "tflite" ? "training signatures" : "operations"
    report(
      .missingKey, .warning, at: "train.ops",
      expected: "the \(names) of a training step, since model.modes has \"train\"",
      found: "nothing",
      suggestion:
        "Add \"train\": {\"ops\": [names]}, or remove \"train\" from \"modes\"; without it "
        + "the model runs, but does not learn.")
  }
}

extension ModelManifest {
  /// The lists of layers, by their keys.
  fileprivate var layers: [(key: String, layers: [Layer])] {
    [("inputs", inputs), ("outputs", outputs), ("placeholders", placeholders)]
  }
}

extension ModelManifest.Layer {
  /// The maximum number of elements that the runtimes support: 2^31 - 1.
  static let mostElements = Int(Int32.max)

  /// The file in the assets folder that names the classes; nil without one.
  package var labelsFile: String? {
    switch kind {
    case .array(_, let file), .classMap(_, let file): file
    case .scalar, .imageInput, .imageOutput, .string: nil
    }
  }

  /// The number of elements of one item, without the batch axis.
  public var elementCount: Int {
    (shape.first == -1 ? shape.dropFirst() : shape[...]).reduce(1, *)
  }
}

extension JSONValue {
  /// The number of members of all objects in the value.
  fileprivate var memberCount: Int {
    switch self {
    case .object(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
    case .array(let elements): elements.reduce(0) { $0 + $1.memberCount }
    case .null, .bool, .number, .integer, .string: 0
    }
  }
}
