// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A draft of a bundle, with everything that can be read from a model.
package struct BundleDraft {
  /// The name of the model's file or folder in the bundle.
  let modelFile: String
  /// The content of model.json, with its keys in the order of the documentation.
  let manifest: OrderedJSON
  /// The files of the assets folder.
  let assets: [Asset]
  /// The keys of model.json that are empty or hold a marker for the user to replace.
  package let blanks: [String]
  /// One sentence for each assumption, and for anything else that the user should check.
  package let checks: [String]
  /// The assumptions among ``checks`` that a run depends on.
  let assumptions: [String]

  typealias Members = [(key: String, value: OrderedJSON)]

  struct Asset: Hashable {
    var name: String
    var text: String
  }

  /// Puts a model.json together for a mode, "predict" or "train".
  ///
  /// The layers are the members that describe layers and training. The blanks are the keys among
  /// them that the user must fill in.
  init(
    _ drafter: LayerDrafter, _ signatures: [SignatureDescription], at index: Int,
    about: ModelMetadata? = nil, bundleName: String, modelFile: String, backend: String,
    mode: String, layers: Members, blanks: [String] = [], checks: [String]
  ) {
    var texts: [String] = []
    var members = Self.members(about, bundleName: bundleName, blanks: &texts)
    var model: Members = [("file", .string(modelFile)), ("quantized", .bool(drafter.isQuantized))]
    if let type = drafter.modelType { model.append(("type", .string(type))) }
    model += [("backend", .string(backend)), ("modes", .strings([mode]))]
    if signatures.count > 1 { model.append(("signature", .string(signatures[index].key))) }
    members += [("model", .object(model))] + layers
    if let options = drafter.options { members.append(("options", options)) }
    self.modelFile = modelFile
    manifest = .object(members)
    assets = drafter.assets
    assumptions = drafter.assumptions
    self.blanks = texts + blanks
    self.checks = checks
  }

  /// The start of every text that the user must fill in.
  package static let markerStart = "(fill in:"

  /// Returns the first members of a model.json, with markers for what the user must fill in.
  static func members(
    _ about: ModelMetadata?, bundleName: String, blanks: inout [String]
  ) -> Members {
    func text(_ value: String?, _ key: String, _ marker: String) -> (String, OrderedJSON) {
      if let value, !value.isEmpty { return (key, .string(value)) }
      blanks.append(key)
      return (key, .string("\(markerStart) \(marker))"))
    }
    return [
      ("name", .string(about?.name.flatMap { isGeneric($0) ? nil : $0 } ?? bundleName)),
      text(about?.description, "details", "what the model does"),
      ("id", .string(identifier(bundleName))),
      ("version", .string(about?.version.flatMap { $0.isEmpty ? nil : $0 } ?? "1")),
      text(about?.author, "author", "who made the model"),
      text(about?.license, "license", "the model's license"),
    ]
  }

  /// Tools that write metadata give every model of a kind the same name.
  private static func isGeneric(_ name: String) -> Bool {
    let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return letters.isEmpty || genericNames.contains(letters)
  }

  private static let genericNames: Set<String> = [
    "model", "main", "tflitemodel", "tensorflowlitemodel", "convertedmodel",
    "imageclassifier", "imageclassification", "imageclassificationmodel", "objectdetector",
    "objectdetection", "imagesegmenter", "imagesegmentation", "imageembedder", "textclassifier",
    "nlclassifier", "bertnlclassifier", "bertquestionanswerer", "audioclassifier", "audioembedder",
    "textembedder", "imagegenerator",
  ]

  private static func identifier(_ name: String) -> String {
    String(name.lowercased().map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "-" })
  }

  static func signatureChecks(_ signatures: [SignatureDescription], chosen: Int) -> [String] {
    guard signatures.count > 1 else { return [] }
    let key = signatures[chosen].key
    let others = signatures.indices.filter { $0 != chosen }.map { "'\(signatures[$0].key)'" }
    return [
      "the signature '\(key)' was used; the model also has "
        + others.joined(separator: ", ") + ", which --signature selects"
    ]
  }
}

extension BundleDraft {
  /// Writes the bundle's files into an empty folder.
  package func write(to folder: String, modelPath: String) throws {
    let files = FileManager.default
    try copyModel(at: modelPath, into: folder)
    try Data(manifest.text.utf8).write(to: URL(filePath: folder + "/model.json"))
    if !assets.isEmpty {
      try files.createDirectory(atPath: folder + "/assets", withIntermediateDirectories: false)
    }
    for asset in assets {
      try Data(asset.text.utf8).write(to: URL(filePath: folder + "/assets/" + asset.name))
    }
  }

  /// Copies the model's file or folder, and replaces links with the files they lead to.
  private func copyModel(at path: String, into folder: String) throws {
    let destination = folder + "/" + modelFile
    guard FileSystem.isFolder(path) else {
      return try FileSystem.read(path).write(to: URL(filePath: destination))
    }
    for file in try SavedModelFile.all(in: path) {
      let target = URL(filePath: destination + "/" + file.name)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileSystem.read(path + "/" + file.name).write(to: target)
    }
  }
}
