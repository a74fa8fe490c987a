// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO
import TensorIOImageCodecs

extension ModelRecord {
  init(_ bundle: ModelBundle, _ decoder: ImageDecoder) throws {
    let manifest = bundle.manifest
    let inputs = manifest.inputs.map { "\($0.name): \($0.preprocessing)" }
    let preprocessing = inputs.joined(separator: "; ")
    let text = preprocessing + "; decode \(decoder.scaling.rawValue)"
    self.init(
      id: manifest.id, name: manifest.name, version: manifest.version, path: bundle.path,
      backend: bundle.backendName ?? "none", sha256: try bundle.sha256(),
      preprocessing: preprocessing,
      preprocessingSHA256: try SHA256.digest(of: Array(text.utf8)).hexadecimal)
  }
}

extension ModelManifest.Layer {
  /// A human-readable description of how an image is converted to a tensor.
  fileprivate var preprocessing: String {
    guard case .imageInput(let shape, let preprocessing) = kind else { return "not a picture" }
    var parts = [
      "\(shape.format.rawValue) \(shape.width) x \(shape.height), \(shape.layout.rawValue)",
      "resize \(preprocessing.resize.rawValue)", "crop \(preprocessing.crop.text)",
    ]
    if let normalization = preprocessing.normalization {
      let (scale, bias) = (normalization.scale, normalization.bias)
      parts.append(
        "\(scale.red), \(scale.green), \(scale.blue) * value + "
          + "\(bias.red), \(bias.green), \(bias.blue)")
    }
    return parts.joined(separator: ", ")
  }
}

extension ImageCrop {
  /// A human-readable description of the crop.
  fileprivate var text: String {
    var text = mode.rawValue
    if fraction != 1 { text += " \(fraction)" }
    if mode == .pad { text += " with \(color.red), \(color.green), \(color.blue)" }
    return text
  }
}

extension ModelBundle {
  /// The SHA-256 of the model's file.
  ///
  /// For a folder, the names and bytes of all its files are hashed.
  func sha256() throws -> String {
    guard let modelPath else { return try SHA256.digest(of: [UInt8]()).hexadecimal }
    if FileSystem.isFile(modelPath) { return try SHA256.fileDigits(modelPath) }
    var hash = try SHA256.start()
    for name in try Self.files(in: modelPath) {
      hash.update(data: Array("\(name)\n\(try SHA256.fileDigits(modelPath + "/" + name))\n".utf8))
    }
    return hash.finalize().hexadecimal
  }

  /// The paths of all files relative to a folder, in the same order on every machine.
  private static func files(in folder: String) throws -> [String] {
    var found: [String] = []
    for name in try FileSystem.contents(of: folder) {
      let path = folder + "/" + name
      if FileSystem.isFolder(path) {
        found += try files(in: path).map { name + "/" + $0 }
      } else {
        found.append(name)
      }
    }
    return found.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }
}

extension SHA256 {
  fileprivate static func fileDigits(_ path: String) throws -> String {
    try digest(ofFile: path).hexadecimal
  }
}
