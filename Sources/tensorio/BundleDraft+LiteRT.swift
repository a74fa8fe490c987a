// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension BundleDraft {
  /// Describes one signature of a TensorFlow Lite model.
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
    let about = About(
      name: metadata?.name, details: metadata?.description, version: metadata?.version,
      author: metadata?.author, license: metadata?.license)
    var members = Self.members(about, bundleName: bundleName, blanks: &blanks)
    let modelFile = "model.tflite"
    var file: Members = [
      ("file", .string(modelFile)), ("quantized", .bool(drafter.isQuantized)),
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
    self.init(
      modelFile: modelFile, manifest: .object(members), assets: drafter.assets, blanks: blanks,
      checks: Self.signatureChecks(model.signatures, chosen: index) + drafter.checks
        + (metadata?.problems ?? []))
  }
}
