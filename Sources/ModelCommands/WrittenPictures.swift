// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the pictures of a run to files, and remembers where.
struct WrittenPictures {
  /// The files of the outputs, by the outputs' names.
  private(set) var outputs: [String: String] = [:]
  /// The files of the previews, by the inputs' names and then by what they show; nil when none
  /// were asked for.
  private(set) var previews: [String: [String: String]]?

  // MARK: - Outputs

  /// Checks before a model runs what would be an error after it.
  ///
  /// - Throws: `TensorIOError` for an output that the model has not, and for a file whose extension
  ///   names no format.
  static func check(_ arguments: [NamedArgument], for signature: ModelSignature) throws {
    for argument in arguments {
      guard let spec = signature.output(named: argument.name) else {
        throw TensorIOError.unknownOutput(argument.name, among: signature.outputs)
      }
      if case .classMap = spec.kind, isDrawing(argument.value) { continue }
      guard isPicture(spec) else {
        let others = signature.outputs.filter(isPicture).map { "'\($0.name)'" }
        throw TensorIOError(
          .wrongOutputType,
          "The output '\(argument.name)' is not a picture: model.json describes it as numbers or "
            + "text. --output-image writes outputs of the type \"image\", and "
            + (others.isEmpty
              ? "the model has none." : "the model's are \(others.joined(separator: ", "))."))
      }
      _ = try ImageEncoder().format(for: argument.value)
    }
  }

  private static func isPicture(_ spec: TensorSpec) -> Bool {
    if case .classMap = spec.kind { return true }
    return spec.isImage
  }

  private static func isDrawing(_ path: String) -> Bool { path.lowercased().hasSuffix(".svg") }

  /// Writes image outputs and class maps.
  ///
  /// - Throws: `TensorIOError` for an output that is neither, and what writing a file throws.
  mutating func write(_ arguments: [NamedArgument], of outputs: ModelOutputs) throws {
    for argument in arguments {
      try write(outputs, argument.name, to: argument.value)
      self.outputs[argument.name] = argument.value
    }
  }

  private func write(_ outputs: ModelOutputs, _ name: String, to path: String) throws {
    guard let spec = outputs.specs.first(where: { $0.name == name }), case .classMap = spec.kind
    else {
      return try ImageEncoder().write(outputs[name, as: PixelBuffer.self], to: path)
    }
    let map = try outputs[name, as: ClassMap.self]
    guard Self.isDrawing(path) else {
      return try ImageEncoder().write(map.picture(), to: path)
    }
    let document = try ClassMapDrawing(map: map, title: name).svg()
    do {
      try Data(document.utf8).write(to: URL(filePath: path))
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  // MARK: - Previews

  /// Writes what a model sees of each picture that goes in.
  ///
  /// - Parameters:
  ///   - inputs: The values that the model was run on.
  ///   - signature: The model's layers.
  ///   - folder: Where to write; it is made where it is missing.
  /// - Throws: `TensorIOError` when a file cannot be written.
  mutating func writePreviews(
    of inputs: ModelInputs, _ signature: ModelSignature, to folder: String
  ) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(folder)' for the previews cannot be made: \(FileSystem.reason(for: error)).",
        cause: error)
    }
    var names = PreviewNames()
    var written: [String: [String: String]] = [:]
    let mayBeAbsent = signature.inputs.map { _ in true }
    try inputs.forEach(signature.inputs, isOptional: mayBeAbsent) { index, value in
      let spec = signature.inputs[index]
      guard let value, case .imageInput(let shape, _) = spec.kind else { return }
      guard value.isPicture else {
        return Console.printMessage(
          "no preview of '\(spec.name)': its value is a tensor's elements, not a picture")
      }
      guard let seen = try spec.preview(of: value) else { return }
      var views = [(key: "image", suffix: "", picture: seen)]
      if shape.format != .gray {
        let channels = seen.channels()
        views += [
          ("red", "-red", channels.red), ("green", "-green", channels.green),
          ("blue", "-blue", channels.blue),
        ]
      }
      let name = names.add(spec.name, suffixes: views.map(\.suffix))
      for view in views {
        let path = (folder.hasSuffix("/") ? folder : folder + "/") + "\(name)\(view.suffix).png"
        try ImageEncoder().write(view.picture, to: path)
        written[spec.name, default: [:]][view.key] = path
      }
    }
    previews = written
  }

  /// Where the previews are, a line for each input.
  var previewLines: [String] {
    (previews ?? [:]).sorted { $0.key < $1.key }.map { input, paths in
      let written = ["image", "red", "green", "blue"].compactMap { paths[$0] }
      return "preview of '\(input)': \(written.joined(separator: ", "))"
    }
  }
}

extension TensorEncodable {
  /// Whether the value is a picture, and not a tensor's own elements.
  fileprivate var isPicture: Bool {
    if case .image? = self as? TensorValue { return true }
    return self is PixelBuffer || self is ImageFile
  }
}

/// Names for files: what a layer is called, in characters that every file system takes.
struct PreviewNames {
  /// In small letters, since some file systems do not tell large ones from small ones.
  private var used: Set<String> = []

  /// What a file system takes, with room for a suffix.
  private static let longestName = 100

  /// The name of a layer's files, which no earlier layer's files have.
  ///
  /// - Parameters:
  ///   - layer: The layer's name.
  ///   - suffixes: What will follow the name in each of the files.
  /// - Returns: The name, without suffix and extension.
  mutating func add(_ layer: String, suffixes: [String]) -> String {
    let plain = Self.sanitized(layer)
    var name = plain
    var number = 2
    while suffixes.contains(where: { used.contains((name + $0).lowercased()) }) {
      name = "\(plain)-\(number)"
      number += 1
    }
    used.formUnion(suffixes.map { (name + $0).lowercased() })
    return name
  }

  /// Letters, digits, `-`, `_` and `.` of ASCII stay; anything else becomes `_`, and so does a first
  /// `.` or `-`, which would hide a file or look like an option.
  static func sanitized(_ name: String) -> String {
    var safe = ""
    for scalar in name.unicodeScalars.prefix(longestName) {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_": safe.unicodeScalars.append(scalar)
      case ".", "-": safe.unicodeScalars.append(safe.isEmpty ? "_" : scalar)
      default: safe += "_"
      }
    }
    return safe.isEmpty ? "input" : safe
  }
}
