// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Drawings
import ModelTools
import TensorIO
import TensorIODecoding
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the images of a run to files, and remembers their paths.
struct WrittenImages {
  /// The paths of the output images, by the names of the outputs.
  private(set) var outputs: [String: String] = [:]
  /// The previews' paths, by input and then by what they show; nil if none were requested.
  private(set) var previews: [String: [String: String]]?

  // MARK: - Outputs

  /// Checks that the arguments name images and known formats, before the model runs.
  static func check(_ arguments: [NamedArgument], for signature: ModelSignature) throws {
    for argument in arguments {
      guard let spec = signature.output(named: argument.name) else {
        throw TensorIOError.unknownOutput(argument.name, among: signature.outputs)
      }
      if spec.isClassMap || spec.drawsObjects, isDrawing(argument.value) { continue }
      if spec.drawsObjects {
        throw TensorIOError(
          .unwritableFile,
          "'\(argument.value)' can't be written: the objects of '\(argument.name)' are drawn as "
            + "SVG. Use the extension .svg.")
      }
      guard spec.isImage || spec.isClassMap || spec.coding?.type == "depth" else {
        let others = signature.outputs.filter { $0.isImage || $0.isClassMap || $0.drawsObjects }
          .map { "'\($0.name)'" }
        throw TensorIOError(
          .wrongOutputType,
          "The output '\(argument.name)' isn't an image: model.json describes it as numbers or "
            + "text. --output-image writes images, class maps, depth maps and objects; "
            + (others.isEmpty
              ? "this model has none." : "this model has \(others.joined(separator: ", "))."))
      }
      _ = try ImageEncoder().format(for: argument.value)
    }
  }

  private static func isDrawing(_ path: String) -> Bool { path.lowercased().hasSuffix(".svg") }

  /// Writes the images among the outputs that the arguments name.
  mutating func write(
    _ arguments: [NamedArgument], of values: [(name: String, value: TensorValue)],
    _ signature: ModelSignature, _ inputs: ModelInputs
  ) throws {
    for argument in arguments {
      let path = argument.value
      switch values.first(where: { $0.name == argument.name })?.value {
      case .image(let image): try ImageEncoder().write(image, to: path)
      case .classMap(let map) where Self.isDrawing(path):
        try Self.write(try map.drawing(title: argument.name), to: path)
      case .classMap(let map): try ImageEncoder().write(map.image(), to: path)
      case .decoded(.depth(let map)): try ImageEncoder().write(map.image(), to: path)
      case .decoded(.objects(let objects)):
        let photo = try Self.photo(signature, inputs)
        let drawing = try ObjectDrawing(
          photo: photo?.image, size: photo?.size, skeleton: signature.skeleton(of: argument.name)
        ).svg(of: objects, title: argument.name)
        try Self.write(drawing, to: path)
      // `check` has refused all other outputs.
      default: continue
      }
      outputs[argument.name] = path
    }
  }

  private static func write(_ drawing: String, to path: String) throws {
    try FileSystem.writing("'\(path)' can't be written") {
      try Data(drawing.utf8).write(to: URL(filePath: path))
    }
  }

  /// Returns the photo among the inputs, at most 1600 pixels wide and high, and its own size.
  private static func photo(
    _ signature: ModelSignature, _ inputs: ModelInputs
  ) throws -> (image: PixelBuffer, size: (width: Int, height: Int))? {
    var photo: (PixelBuffer, (width: Int, height: Int))?
    let mayBeAbsent = signature.inputs.map { _ in true }
    try inputs.forEach(signature.inputs, isOptional: mayBeAbsent) { _, value in
      guard photo == nil, let value, value.isImage, let size = value.encodedImageSize else {
        return
      }
      let scale = min(1, 1600 / Double(max(size.width, size.height)))
      let shape = ImageShape(
        height: max(1, Int((Double(size.height) * scale).rounded())),
        width: max(1, Int((Double(size.width) * scale).rounded())), format: .rgb)
      let spec = TensorSpec(
        name: "photo", shape: shape.axes, dataType: .uint8,
        kind: .imageInput(shape, ImagePreprocessing(crop: ImageCrop(.stretch))))
      let image = try PixelBuffer(width: shape.width, height: shape.height, format: .rgb) {
        try value.encode(into: &$0, as: spec)
      }
      photo = (image, size)
    }
    return photo
  }

  // MARK: - Previews

  /// Writes what a model sees of each input image, and creates the folder if it is missing.
  mutating func writePreviews(
    of inputs: ModelInputs, _ signature: ModelSignature, to folder: String
  ) throws {
    try FileSystem.writing("The folder '\(folder)' for the previews can't be created") {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    var names = PreviewNames()
    var written: [String: [String: String]] = [:]
    let mayBeAbsent = signature.inputs.map { _ in true }
    try inputs.forEach(signature.inputs, isOptional: mayBeAbsent) { index, value in
      let spec = signature.inputs[index]
      guard let value, case .imageInput(let shape, _) = spec.kind else { return }
      guard value.isImage else {
        return Console.printMessage(
          "no preview of '\(spec.name)': its value is a tensor, not an image")
      }
      guard let seen = try spec.preview(of: value) else { return }
      var views = [(key: "image", suffix: "", image: seen)]
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
        try ImageEncoder().write(view.image, to: path)
        written[spec.name, default: [:]][view.key] = path
      }
    }
    previews = written
  }

  var previewLines: [String] {
    (previews ?? [:]).sorted { $0.key < $1.key }.map { input, paths in
      let written = ["image", "red", "green", "blue"].compactMap { paths[$0] }
      return "preview of '\(input)': \(written.joined(separator: ", "))"
    }
  }
}

extension TensorSpec {
  fileprivate var isClassMap: Bool {
    if case .classMap = kind { true } else { false }
  }
}

extension TensorEncodable {
  /// Whether the value is an image, as opposed to the elements of a tensor.
  fileprivate var isImage: Bool {
    if case .image? = self as? TensorValue { return true }
    return self is PixelBuffer || self is ImageFile
  }
}

/// File names made from the names of layers, with characters that every file system accepts.
struct PreviewNames {
  /// The used names in lowercase, because some file systems ignore case.
  private var used: Set<String> = []

  /// The longest name, which leaves room for a suffix.
  private static let longestName = 100

  /// Returns a name that no earlier layer has; each of the layer's files adds a suffix to it.
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

  /// Replaces characters that may cause problems with `_`.
  ///
  /// ASCII letters, digits, `-`, `_` and `.` stay. A leading `.` or `-` is replaced, because it
  /// would hide the file or look like an option.
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
