// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A bundle as far as a model can describe itself.
package struct BundleDraft {
  /// The model's name in the bundle.
  let modelFile: String
  /// The content of model.json, its keys in the order of the documents.
  let manifest: OrderedJSON
  /// The files of the assets folder.
  let assets: [Asset]
  /// The keys of model.json that hold a marker instead of a value, or nothing.
  let blanks: [String]
  /// What was assumed, a sentence each, and what else a person should look at.
  let checks: [String]
  /// Those of ``checks`` without which a run may give something else than the model means.
  var assumptions: [String] = []

  typealias Members = [(key: String, value: OrderedJSON)]

  /// A file of the assets folder.
  struct Asset: Hashable {
    var name: String
    var text: String
  }

  /// What a person reads about a model; nil where the model does not say.
  struct About {
    var name: String?
    var details: String?
    var version: String?
    var author: String?
    var license: String?
  }

  /// How a text begins that a person must fill in.
  package static let markerStart = "(fill in:"

  /// The first members of a model.json, with markers for what a person must fill in.
  static func members(
    _ about: About, bundleName: String, blanks: inout [String]
  ) -> Members {
    func text(_ value: String?, _ key: String, _ marker: String) -> (String, OrderedJSON) {
      if let value, !value.isEmpty { return (key, .string(value)) }
      blanks.append(key)
      return (key, .string("\(markerStart) \(marker))"))
    }
    return [
      ("name", .string(about.name.flatMap { isGeneric($0) ? nil : $0 } ?? bundleName)),
      text(about.details, "details", "what the model does"),
      ("id", .string(identifier(bundleName))),
      ("version", .string(about.version.flatMap { $0.isEmpty ? nil : $0 } ?? "1")),
      text(about.author, "author", "who made the model"),
      text(about.license, "license", "the model's license"),
    ]
  }

  /// Whether a name says no more than what kind of model it is, as the tools that write metadata call
  /// every model of a kind.
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

  /// What to tell of a model with several signatures.
  static func signatureChecks(_ signatures: [SignatureDescription], chosen: Int) -> [String] {
    guard signatures.count > 1 else { return [] }
    let key = signatures[chosen].key
    let others = signatures.indices.filter { $0 != chosen }.map { "'\(signatures[$0].key)'" }
    return [
      "the signature '\(key)' is described; the model also has "
        + others.joined(separator: ", ") + ", for --signature"
    ]
  }
}
