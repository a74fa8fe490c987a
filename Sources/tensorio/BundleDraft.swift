// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

/// A bundle as far as a model can describe itself.
struct BundleDraft {
  /// The model's name in the bundle.
  static let modelFile = "model.tflite"

  /// The content of model.json, its keys in the order of the documents.
  let manifest: OrderedJSON
  /// The files of the assets folder.
  let assets: [Asset]
  /// The keys of model.json that hold a marker instead of a value.
  let blanks: [String]
  /// What was assumed, a sentence each.
  let checks: [String]

  /// A file of the assets folder.
  struct Asset: Hashable {
    var name: String
    var text: String
  }

  /// Describes one signature of a model.
  ///
  /// - Throws: ``TensorIOError`` when a layer cannot be described.
  init(model: LiteRTModel, signature index: Int, bundleName: String) throws {
    let signature = model.signatures[index]
    let metadata = model.metadata
    var drafter = LayerDrafter(signature)
    let (inputMetadata, outputMetadata) =
      metadata?.tensors(of: signature, at: index)
      ?? (signature.inputs.map { _ in nil }, signature.outputs.map { _ in nil })
    let inputs = try drafter.inputs(inputMetadata)
    let outputs = try drafter.outputs(outputMetadata)

    var blanks: [String] = []
    func text(_ value: String?, _ key: String, _ marker: String) -> (String, OrderedJSON) {
      if let value, !value.isEmpty { return (key, .string(value)) }
      blanks.append(key)
      return (key, .string("(fill in: \(marker))"))
    }
    let name = metadata?.name.flatMap { $0.isEmpty ? nil : $0 } ?? bundleName
    let version = metadata?.version.flatMap { $0.isEmpty ? nil : $0 } ?? "1"
    var members: [(key: String, value: OrderedJSON)] = [
      ("name", .string(name)),
      text(metadata?.description, "details", "what the model does"),
      ("id", .string(Self.identifier(bundleName))),
      ("version", .string(version)),
      text(metadata?.author, "author", "who made the model"),
      text(metadata?.license, "license", "the model's license"),
    ]
    var file: [(key: String, value: OrderedJSON)] = [
      ("file", .string(Self.modelFile)), ("quantized", .bool(drafter.isQuantized)),
    ]
    if drafter.classifiesPictures { file.append(("type", .string("image.classification"))) }
    file.append(("backend", .string("tflite")))
    file.append(("modes", .strings(["predict"])))
    if model.signatures.count > 1 { file.append(("signature", .string(signature.key))) }
    members.append(("model", .object(file)))
    members.append(("inputs", .array(inputs)))
    members.append(("outputs", .array(outputs)))
    if drafter.classifiesPictures {
      let format = OrderedJSON.string("image.classification.imagenet")
      members.append(
        ("options", .object([("device_position", .string("back")), ("output_format", format)])))
    }
    manifest = .object(members)
    assets = drafter.assets
    self.blanks = blanks
    checks =
      Self.signatureChecks(model.signatures, chosen: index) + drafter.checks
      + (metadata?.problems ?? [])
  }

  private static func identifier(_ name: String) -> String {
    String(name.lowercased().map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "-" })
  }

  private static func signatureChecks(
    _ signatures: [SignatureDescription], chosen: Int
  ) -> [String] {
    guard signatures.count > 1 else { return [] }
    let key = signatures[chosen].key
    let others = signatures.indices.filter { $0 != chosen }.map { "'\(signatures[$0].key)'" }
    return [
      "the signature '\(key)' is described; the model also has "
        + others.joined(separator: ", ") + ", for --signature"
    ]
  }
}
